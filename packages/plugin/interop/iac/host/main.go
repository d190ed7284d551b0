// A host on the public contract's own generated code and transport library: `host EXECUTABLE`. It calls every method of every
// service of a plugin of ours and prints how many held, and those that did not.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"errand.test/interop/iac/mirror"
	goplugin "github.com/GoCodeAlone/go-plugin"
	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/reflect/protoreflect"
)

type seen struct {
	Held   []string          `json:"held"`
	Broken map[string]string `json:"broken"`
}

func main() {
	result, err := drive(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(result)
}

func drive(executable string) (*seen, error) {
	client := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig: mirror.Handshake,
		Plugins:         goplugin.PluginSet{"plugin": mirror.Plugin{}},
		Cmd:             exec.Command(executable),
		Logger:          hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn}),
	})
	defer client.Kill()
	protocol, err := client.Client()
	if err != nil {
		return nil, err
	}
	dispensed, err := protocol.Dispense("plugin")
	if err != nil {
		return nil, err
	}
	connection := dispensed.(*grpc.ClientConn)
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	result := &seen{Held: []string{}, Broken: map[string]string{}}
	for _, service := range mirror.Services() {
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			name := fmt.Sprintf("%s/%s", service.FullName(), method.Name())
			if err := call(ctx, connection, name, method); err != nil {
				result.Broken[name] = err.Error()
			} else {
				result.Held = append(result.Held, name)
			}
		}
	}
	return result, nil
}

func call(ctx context.Context, connection *grpc.ClientConn, name string, method protoreflect.MethodDescriptor) error {
	request, reply := mirror.Filled(method.Input()), mirror.New(method.Output())
	if !method.IsStreamingServer() {
		if err := connection.Invoke(ctx, "/"+name, request, reply); err != nil {
			return err
		}
		return mirror.Check(reply)
	}
	stream, err := connection.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+name)
	if err != nil {
		return err
	}
	if err := errors.Join(stream.SendMsg(request), stream.CloseSend()); err != nil {
		return err
	}
	for count := 0; ; count++ {
		reply := mirror.New(method.Output())
		err := stream.RecvMsg(reply)
		if errors.Is(err, io.EOF) && count == 2 {
			return nil
		}
		if err != nil {
			return err
		}
		if err := mirror.Check(reply); err != nil {
			return err
		}
	}
}
