package remote

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter returns the pause that a header Retry-After requests: seconds or a date of HTTP. It returns 0 for anything
// else, and for a date in the past. The caller limits the pause.
func RetryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseFloat(value, 64); err == nil {
		const most = 365 * 24 * 3600 // a Duration holds it
		if seconds != seconds || seconds < 0 {
			return 0
		}
		return time.Duration(min(seconds, most) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, at.Sub(now))
}
