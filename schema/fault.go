package schema

import (
	"errors"
	"fmt"
)

// Fault is a class of error. It determines the exit code, by which a scheduler
// decides whether to run the command again.
type Fault uint8

// The classes of error. The zero value is a fault of the program itself.
const (
	FaultOurs         Fault = iota // a bug, or an I/O error without a class
	FaultUsage                     // a wrong option or configuration, or a missing program
	FaultResources                 // too little disk or memory
	FaultInput                     // the dump is damaged, incomplete or not a dump
	FaultService                   // a server failed after retries, or another process holds the lock
	FaultVerification              // the outputs differ from the tables
)

// ExitCode returns the exit code of the process for the class.
func (f Fault) ExitCode() int {
	switch f {
	case FaultUsage, FaultResources:
		return 2
	case FaultInput:
		return 3
	case FaultService:
		return 4
	case FaultVerification:
		return 5
	}
	return 1
}

// Error is an error with its class.
type Error struct {
	Fault  Fault
	Err    error
	Remedy string // an instruction to the user; may be empty
}

// Error returns the message without the remedy.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the wrapped error.
func (e *Error) Unwrap() error { return e.Err }

// Faultf returns an Error. The format may wrap another error with %w; remedy may
// be empty. Both refer to an option as "option NAME" ("option window is 3"),
// because libraries have no flags; package main prints the flag --window instead.
func Faultf(f Fault, remedy, format string, args ...any) error {
	return &Error{Fault: f, Err: fmt.Errorf(format, args...), Remedy: remedy}
}

// FaultOf returns the class and remedy of the outermost Error in err's chain. An
// err without one has FaultOurs and no remedy.
func FaultOf(err error) (Fault, string) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fault, e.Remedy
	}
	return FaultOurs, ""
}
