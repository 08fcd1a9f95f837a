package tables

import (
	"errors"
	"testing"

	"github.com/go-sql-driver/mysql"

	"s2g/schema"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		err  error
		want schema.Fault
	}{
		{nil, schema.FaultOurs},
		{errors.New("other"), schema.FaultOurs},
		{&mysql.MySQLError{Number: 1064}, schema.FaultOurs}, // syntax
		{&mysql.MySQLError{Number: 1045}, schema.FaultUsage},
		{&mysql.MySQLError{Number: 1021}, schema.FaultResources},
		{&mysql.MySQLError{Number: 1317}, schema.FaultService},
		{&mysql.MySQLError{Number: 1877}, schema.FaultVerification},
		{&mysql.MySQLError{Number: 1030, Message: `Got error 28 "No space left on device" from storage engine InnoDB`}, schema.FaultResources},
		{mysql.ErrInvalidConn, schema.FaultService},
		{schema.Faultf(schema.FaultInput, "", "kept: %w", mysql.ErrInvalidConn), schema.FaultInput},
	} {
		got := classify(c.err)
		if fault, _ := schema.FaultOf(got); fault != c.want || !errors.Is(got, c.err) {
			t.Errorf("%v: fault %v, want %v", c.err, fault, c.want)
		}
	}
}
