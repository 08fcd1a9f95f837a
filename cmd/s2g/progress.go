package main

import "s2g/cmd/s2g/internal/progress"

// progress begins to show a stage.
func (a *app) progress(stage string) *progress.Stage {
	if earlier := a.preparation; earlier != nil {
		a.preparation = nil
		earlier.End()
	}
	p := a.newProgress(stage)
	p.Begin()
	return p
}

// prepare shows that a command works before its first stage, until that begins or the result is called.
func (a *app) prepare(what string) (end func()) {
	a.preparation = a.progress(what)
	return func() {
		if p := a.preparation; p != nil {
			a.preparation = nil
			p.End()
		}
	}
}

// laterProgress is progress that shows nothing before the first report.
func (a *app) laterProgress(stage string) *progress.Stage {
	p := a.newProgress(stage)
	p.BeginLater()
	return p
}

// newProgress returns the progress of a stage that has not begun, on the terminal or in the log of the command.
func (a *app) newProgress(stage string) *progress.Stage {
	p := &progress.Stage{Name: stage, Clock: a.clock, Last: &a.lastProgress, Log: a.log, Numbers: a.json}
	if a.terminal {
		p.Terminal = a.stderr
	}
	return p
}
