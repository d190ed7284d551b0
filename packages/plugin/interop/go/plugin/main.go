// A plugin on hashicorp/go-plugin, for our host to drive.
package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"errand.test/interop/echo"
	plugin "github.com/hashicorp/go-plugin"
)

func main() {
	methods := map[string]echo.Method{
		"Say":         func(request []byte) ([]byte, error) { return request, nil },
		"Environment": func([]byte) ([]byte, error) { return []byte(strings.Join(os.Environ(), "\n")), nil },
		"Big":         big,
		"Talk":        talk,
		"Hang":        func([]byte) ([]byte, error) { select {} },
		"Die":         func([]byte) ([]byte, error) { os.Exit(3); return nil, nil },
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: echo.Handshake,
		Plugins:         plugin.PluginSet{"plugin": &echo.Plugin{Methods: methods}},
		GRPCServer:      plugin.DefaultGRPCServer,
	})
}

func big(request []byte) ([]byte, error) {
	size, err := strconv.Atoi(string(request))
	return make([]byte, size), err
}

// talk writes as many MiB to stdout, through which nothing comes when the host does not read, and then a line to stderr.
func talk(request []byte) ([]byte, error) {
	size, err := strconv.Atoi(string(request))
	if err != nil {
		return nil, err
	}
	chunk := bytes.Repeat([]byte{'a'}, 1<<20)
	for range size {
		if _, err := os.Stdout.Write(chunk); err != nil {
			return nil, err
		}
	}
	_, err = fmt.Fprintln(os.Stderr, "all written")
	return nil, err
}
