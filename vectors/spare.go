package vectors

import "golang.org/x/sync/errgroup"

// spare are the workers that have no unit left to make: they help those that still make one. The number of units is
// rarely one that workers share evenly, and without help the last unit would keep one of them alone.
type spare chan struct{}

// lend adds a worker that is done.
func (s spare) lend() { s <- struct{}{} }

// run has a spare worker do the work, as one of the group, or does it at once where there is none.
func (s spare) run(group *errgroup.Group, work func() error) error {
	select {
	case <-s:
		group.Go(func() error {
			defer s.lend()
			return work()
		})
		return nil
	default:
		return work()
	}
}
