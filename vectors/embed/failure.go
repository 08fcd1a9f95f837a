package embed

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// errNotFinite reports a vector that holds NaN or an infinity.
var errNotFinite = errors.New("a vector holds values that are not finite")

// temporaryError is a failure of a request that a retry may mend.
type temporaryError struct {
	err    error
	after  time.Duration // pause that the server requests; 0: none
	status int           // of HTTP; 0: no answer, or an unreadable one
	busy   bool          // unrelated to the request: the endpoint is overloaded or unreachable
}

func (f *temporaryError) Error() string { return f.err.Error() }
func (f *temporaryError) Unwrap() error { return f.err }

// refusal is an answer that finds a fault with the texts of a request.
type refusal struct {
	status  int
	message string
	crashes bool // the server does not report the fault: it fails on these texts, and answers the control request
	slow    bool // crashes by a timeout
}

func (r *refusal) Error() string {
	if r.crashes {
		return "the server fails on it: " + r.message
	}
	return fmt.Sprintf("status %d: %s", r.status, r.message)
}

// asRefusal returns the refusal in err's chain, or nil.
func asRefusal(err error) *refusal {
	r, _ := errors.AsType[*refusal](err)
	return r
}

// batchTooLarge reports whether the refusal is about the size of the batch, not about one of its texts. (The physical batch
// of llama.cpp is the tokens of one text.)
func (r *refusal) batchTooLarge() bool {
	message := strings.ToLower(r.message)
	if r.crashes {
		return r.slow || strings.Contains(message, "out of memory")
	}
	if strings.Contains(message, "physical batch") {
		return false
	}
	return strings.Contains(message, "batch") || strings.Contains(message, "array") || r.status == 413 && !r.namesLength()
}

// textTooLong reports whether the refusal of a single text is about its length.
func (r *refusal) textTooLong() bool {
	return !r.crashes && (r.namesLength() || r.status == 413)
}

// namesLength reports whether the message is about the length of a text. Each server has its own words.
func (r *refusal) namesLength() bool {
	message := strings.ToLower(r.message)
	for _, word := range []string{"token", "length", "too long", "context", "max_model_len", "too large to process"} {
		if strings.Contains(message, word) {
			return true
		}
	}
	return false
}

// isLengthError reports whether the message of status 500 is about the length of a text, which a retry does not mend:
// llama.cpp ("input is too large to process") and versions of Ollama ("the input length exceeds the context length").
func isLengthError(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "too large to process") || strings.Contains(message, "exceed") && strings.Contains(message, "context")
}
