package schema

import (
	"errors"
	"fmt"
)

// Fault is a class of error that a scheduler acts on: only those that it can
// retry are worth a retry.
type Fault uint8

// The classes of error. The zero value is a fault of the program itself.
const (
	FaultOurs         Fault = iota // a bug, or an I/O error with no better name
	FaultUsage                     // a wrong flag, configuration, or a missing program
	FaultResources                 // too little disk or memory: free some, run again
	FaultInput                     // the dump is damaged, incomplete or not a dump
	FaultService                   // a server failed after retries, or another run holds the lock
	FaultVerification              // what was built differs from what the tables say
)

// ExitCode is the process exit code of the class.
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

// Error is an error with its class and, where there is one, what a person can
// do about it.
type Error struct {
	Fault  Fault
	Err    error
	Remedy string
}

// Error is the message, without the remedy.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the error that was classed.
func (e *Error) Unwrap() error { return e.Err }

// Faultf makes an Error. The format may wrap another error with %w; remedy may
// be empty. Both name an option as "option NAME" ("option window is 3"), for a
// library has no flags; a command line prints it as its flag, --window.
func Faultf(f Fault, remedy, format string, args ...any) error {
	return &Error{Fault: f, Err: fmt.Errorf(format, args...), Remedy: remedy}
}

// FaultOf returns the class and remedy of the outermost Error that err wraps.
func FaultOf(err error) (Fault, string) {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Fault, e.Remedy
	}
	return FaultOurs, ""
}
