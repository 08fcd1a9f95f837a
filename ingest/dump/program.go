package dump

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A programReader is the standard output of a decoding program.
type programReader struct {
	io.Reader
	cmd      *exec.Cmd
	stop     context.CancelFunc
	messages tail
	ended    bool // the output has been read to its end
}

// startProgram runs a program that decodes to its standard output; in may be
// nil.
func startProgram(ctx context.Context, in io.Reader, program string, args ...string) (io.ReadCloser, error) {
	ctx, stop := context.WithCancel(ctx)
	r := &programReader{cmd: exec.CommandContext(ctx, program, args...), stop: stop}
	r.cmd.Stdin = in
	r.cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // names of members are UTF-8, whatever the user's locale
	r.cmd.Stderr = &r.messages
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("start %s: %w", program, err)
	}
	r.Reader = out
	return r, nil
}

func (r *programReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.ended = r.ended || err == io.EOF
	return n, err
}

// Close waits for the program, which it stops if its output has not been read
// to the end, and reports how it exited.
func (r *programReader) Close() error {
	if !r.ended {
		r.stop()
	}
	err := r.cmd.Wait()
	r.stop()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(r.cmd.Path), err, r.messages.String())
	}
	return nil
}

// A tail keeps the last of what is written to it.
type tail struct{ kept []byte }

const tailSize = 1 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if len(t.kept) > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[len(t.kept)-tailSize:]...)
	}
	return len(p), nil
}

// String returns what was kept as one line.
func (t *tail) String() string { return strings.Join(strings.Fields(string(t.kept)), " ") }
