package config

import (
	"errors"
	"os"
	"regexp"
	"strings"

	mysql "github.com/go-sql-driver/mysql"

	"s2g/schema"
	"s2g/schema/remote"
)

// secretName matches the variables of an environment that name the file of a secret.
var secretName = regexp.MustCompile(`^(S2G_DSN|S2G_.*_(KEY|PASSWORD|TOKEN))_FILE=`)

// SecretFiles reads the files of the variables S2G_..._FILE in an environment. It returns their contents by the
// variables' names without _FILE. Errors are of [schema.FaultUsage].
func SecretFiles(environment []string) (map[string]string, error) {
	secrets := map[string]string{}
	for _, entry := range environment {
		match := secretName.FindStringSubmatch(entry)
		_, path, _ := strings.Cut(entry, "=")
		if match == nil || path == "" {
			continue
		}
		if os.Getenv(match[1]) != "" {
			return nil, schema.Faultf(schema.FaultUsage, "give one of them", "%s and %s_FILE are both set", match[1], match[1])
		}
		text, err := schema.ReadRegular(path)
		if err != nil {
			return nil, schema.Faultf(schema.FaultUsage, "give the name of a file that this user can read", "%s_FILE: %w", match[1], err)
		}
		secrets[match[1]] = strings.TrimSpace(string(text))
	}
	return secrets, nil
}

// secretVariable matches the variables of an environment that hold a secret.
var secretVariable = regexp.MustCompile(`^(OPENAI_API_KEY|S2G_.*_(?:KEY|PASSWORD|TOKEN)|S2G_DSN)=(.+)$`)

// Secrets returns the secrets that an environment and the files of secrets hold, so that messages leave them out.
func Secrets(environment []string, files map[string]string) remote.Secrets {
	var values []string
	add := func(name, value string) {
		if name == "S2G_DSN" {
			if c, err := mysql.ParseDSN(value); err == nil {
				value = c.Passwd
			} else if at := strings.LastIndexByte(value, '@'); at >= 0 { // malformed; an error may quote a part
				_, guess, _ := strings.Cut(value[:at], ":")
				values = append(values, guess)
			}
		}
		values = append(values, value)
		if _, token, ok := strings.Cut(value, " "); ok { // a token behind its scheme
			values = append(values, token)
		}
	}
	for _, entry := range environment {
		if match := secretVariable.FindStringSubmatch(entry); match != nil {
			add(match[1], match[2])
		}
	}
	for name, value := range files {
		add(name, value)
	}
	return remote.NewSecrets(values...)
}

// Message returns the text of an error fit to be printed: without secrets, without control characters, and with a message
// of MariaDB on one line.
func Message(err error, s remote.Secrets) string {
	text := err.Error()
	if server, ok := errors.AsType[*mysql.MySQLError](err); ok && server.Message != "" {
		text = strings.ReplaceAll(text, server.Message, s.Text(server.Message, 2*remote.MaxText))
	}
	return s.Redact(remote.Printable(text))
}

// Masked returns the value of an option with its secrets replaced by ***. A malformed DSN becomes ***.
func Masked(option, value string) string {
	if option == "dsn" && value != "" {
		c, err := mysql.ParseDSN(value)
		if err != nil {
			return "***"
		}
		if c.Passwd != "" {
			c.Passwd = "***"
		}
		return c.FormatDSN()
	}
	return remote.Secrets{}.Redact(value)
}
