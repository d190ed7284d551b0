// A host on hashicorp/go-plugin, to load a plugin of ours: `host [-mtls] EXECUTABLE`. Prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"

	"errand.test/interop/echo"
	"github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
)

type seen struct {
	Network string `json:"network"`
	Said    string `json:"said"`
	Big     int    `json:"big"`
	Exited  bool   `json:"exited"`
	// Milliseconds from asking it to end to its end; go-plugin kills it after 2000.
	EndedAfter int64 `json:"endedAfter"`
	ExitCode   int   `json:"exitCode"`
}

func main() {
	mtls := flag.Bool("mtls", false, "mutual TLS")
	vanish := flag.Bool("vanish", false, "leave without a word, as a host that crashes does")
	flag.Parse()
	result, err := drive(flag.Arg(0), *mtls, *vanish)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

func drive(executable string, mtls, vanish bool) (*seen, error) {
	command := exec.Command(executable)
	client := plugin.NewClient(&plugin.ClientConfig{
		HandshakeConfig:  echo.Handshake,
		Plugins:          plugin.PluginSet{"plugin": &echo.Plugin{}},
		Cmd:              command,
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		AutoMTLS:         mtls,
		Logger:           hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn}),
	})
	defer client.Kill()
	address, err := client.Start()
	if err != nil {
		return nil, err
	}
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	if err := protocol.Ping(); err != nil {
		return nil, fmt.Errorf("ping: %w", err)
	}
	dispensed, err := protocol.Dispense("plugin")
	if err != nil {
		return nil, err
	}
	call := dispensed.(echo.Caller)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	said, err := call(ctx, "Say", []byte("hello"))
	if err != nil {
		return nil, fmt.Errorf("say: %w", err)
	}
	big, err := call(ctx, "Big", []byte("10000000"))
	if err != nil {
		return nil, fmt.Errorf("big: %w", err)
	}
	if vanish {
		fmt.Println(command.Process.Pid)
		os.Exit(0)
	}
	begun := time.Now()
	client.Kill()
	return &seen{
		Network:    address.Network(),
		Said:       string(said),
		Big:        len(big),
		Exited:     client.Exited(),
		EndedAfter: time.Since(begun).Milliseconds(),
		ExitCode:   command.ProcessState.ExitCode(),
	}, nil
}
