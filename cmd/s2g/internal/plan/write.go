package plan

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Write prints the plan as a table for people.
func (p *Plan) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\tto do\tdisk\tin passing\tthere\tmemory\t")
	for _, s := range p.Steps {
		if s.Fresh {
			fmt.Fprintf(t, "%s\tno\t-\t-\t-\t-\t\n", s.Stage)
			continue
		}
		fmt.Fprintf(t, "%s\tyes\t%s\t%s\t%s\t%s\t\n", s.Stage, size(s.Disk), size(s.Passes), size(s.There), size(s.Memory))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	about := ""
	if p.Estimated {
		about = "about "
	}
	if p.Memory.Needs == 0 {
		_, err := fmt.Fprintf(w, "the dump is %s%s of XML; nothing is to be done\n", about, size(p.XML))
		return err
	}
	apart := ""
	if p.Tables != nil {
		apart = fmt.Sprintf(", for the tables %s on their own (%s free)", size(p.Tables.Needs), size(p.Tables.Has))
	}
	_, err := fmt.Fprintf(w, "the dump is %s%s of XML; needed beside what is there, at most: %s of disk (%s free)%s, %s of memory with MariaDB's (%s here)\n",
		about, size(p.XML), size(p.Disk.Needs), size(p.Disk.Has), apart, size(p.Memory.Needs), size(p.Memory.Has))
	return err
}
