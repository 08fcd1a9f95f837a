package verify

import (
	"s2g/ingest"
	"s2g/schema"
	"s2g/schema/manifest"
)

// listedRejects is the number of bad rows of a class and table that rejects.jsonl lists, at most.
const listedRejects = 10

// proveErrors sets the numbers of bad rows by class, as far as rejects.jsonl tells them: a class whose rows
// are all listed has so many, another one at least so many. A file that cannot be read is a difference of c.
func (v *verifier) proveErrors(s *manifest.Stage, c *Check) error {
	rejects, err := ingest.ReadRejects(v.out)
	if fault, _ := schema.FaultOf(err); err != nil && fault == schema.FaultService {
		return err
	} else if err != nil {
		c.differ("%v", err)
		return nil
	}
	byTable, listed := map[[2]string]int{}, map[string]int64{}
	open := map[string]bool{} // classes of which there may be more rows than are listed
	for _, r := range rejects {
		class := string(r.Class)
		listed[class]++
		of := [2]string{r.Table, class}
		if byTable[of]++; byTable[of] >= listedRejects {
			open[class] = true
		}
		if byTable[of] > listedRejects {
			c.differ("%s lists more than %d rows of the class %s of %s", ingest.RejectsFile, listedRejects, class, r.Table)
		}
	}
	proven := map[string]int64{}
	for class, n := range listed {
		if proven[class] = n; open[class] {
			proven[class] = max(n, s.Errors[class])
		}
	}
	s.Errors = proven
	return nil
}
