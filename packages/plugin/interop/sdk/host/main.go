// A host on the public contract's own library: `host EXECUTABLE < task.json`. It loads a provider of ours, as a Go host does,
// takes a resource through its whole life, runs a job, and prints what it saw as JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	goplugin "github.com/GoCodeAlone/go-plugin"
	"github.com/GoCodeAlone/workflow/plugin/external/contract"
	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"github.com/hashicorp/go-hclog"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

type task struct {
	Config json.RawMessage `json:"config"`
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	First  json.RawMessage `json:"first"`
	Second json.RawMessage `json:"second"`
	Job    string          `json:"job"`
}

func main() {
	var wanted task
	if err := json.NewDecoder(os.Stdin).Decode(&wanted); err != nil {
		fail(err)
	}
	seen, err := drive(os.Args[1], wanted)
	if err != nil {
		fail(err)
	}
	_ = json.NewEncoder(os.Stdout).Encode(seen)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type client struct{}

func (client) GRPCServer(*goplugin.GRPCBroker, *grpc.Server) error {
	return errors.New("this is a host")
}

func (client) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return connection, nil
}

func drive(executable string, wanted task) (map[string]any, error) {
	command := exec.Command(executable)
	host := goplugin.NewClient(&goplugin.ClientConfig{
		HandshakeConfig: contract.Handshake,
		Plugins:         goplugin.PluginSet{"plugin": client{}},
		Cmd:             command,
		Logger:          hclog.New(&hclog.LoggerOptions{Output: os.Stderr, Level: hclog.Warn}),
	})
	defer host.Kill()
	protocol, err := host.Client()
	if err != nil {
		return nil, err
	}
	dispensed, err := protocol.Dispense("plugin")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	connection := dispensed.(*grpc.ClientConn)
	seen := map[string]any{}
	if err := meet(ctx, connection, wanted, seen); err != nil {
		return nil, err
	}
	if wanted.Type != "" {
		if err := live(ctx, connection, wanted, seen); err != nil {
			return nil, err
		}
	}
	if wanted.Job != "" {
		if err := work(ctx, connection, wanted, seen); err != nil {
			return nil, err
		}
	}
	begun := time.Now()
	host.Kill()
	seen["endedAfter"], seen["exitCode"] = time.Since(begun).Milliseconds(), command.ProcessState.ExitCode()
	return seen, nil
}

// In the order of a Go host: the registry, Initialize, Capabilities with a deadline.
func meet(ctx context.Context, connection *grpc.ClientConn, wanted task, seen map[string]any) error {
	registry, err := pb.NewPluginServiceClient(connection).GetContractRegistry(ctx, &emptypb.Empty{})
	if err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	services := []string{}
	for _, one := range registry.Contracts {
		if one.Kind == pb.ContractKind_CONTRACT_KIND_SERVICE {
			services = append(services, one.ServiceName)
		}
	}
	seen["services"] = services
	required := pb.NewIaCProviderRequiredClient(connection)
	if _, err := required.Initialize(ctx, &pb.InitializeRequest{ConfigJson: wanted.Config}); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	soon, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	capabilities, err := required.Capabilities(soon, &pb.CapabilitiesRequest{})
	if err != nil {
		return fmt.Errorf("capabilities: %w", err)
	}
	types := []string{}
	for _, one := range capabilities.Capabilities {
		types = append(types, one.ResourceType)
	}
	name, err := required.Name(ctx, &pb.NameRequest{})
	if err != nil {
		return fmt.Errorf("name: %w", err)
	}
	version, err := required.Version(ctx, &pb.VersionRequest{})
	seen["name"], seen["version"], seen["types"], seen["planVersion"] = name.GetName(), version.GetVersion(), types, capabilities.ComputePlanVersion
	return err
}

// Create, read, diff, update, diff, delete, and what reading says then.
func live(ctx context.Context, connection *grpc.ClientConn, wanted task, seen map[string]any) error {
	driver := pb.NewResourceDriverClient(connection)
	spec := func(config json.RawMessage) *pb.ResourceSpec {
		return &pb.ResourceSpec{Name: wanted.Name, Type: wanted.Type, ConfigJson: config}
	}
	created, err := driver.Create(ctx, &pb.ResourceCreateRequest{ResourceType: wanted.Type, Spec: spec(wanted.First)})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	ref := &pb.ResourceRef{Name: wanted.Name, Type: wanted.Type, ProviderId: created.GetOutput().GetProviderId()}
	read, err := driver.Read(ctx, &pb.ResourceReadRequest{ResourceType: wanted.Type, Ref: ref})
	if err != nil {
		return fmt.Errorf("read: %w", err)
	}
	diff := func(config json.RawMessage, current *pb.ResourceOutput) (*pb.DiffResult, error) {
		reply, err := driver.Diff(ctx, &pb.ResourceDiffRequest{ResourceType: wanted.Type, Desired: spec(config), Current: current})
		return reply.GetResult(), err
	}
	same, err := diff(wanted.First, read.Output)
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	other, err := diff(wanted.Second, read.Output)
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	updated, err := driver.Update(ctx, &pb.ResourceUpdateRequest{ResourceType: wanted.Type, Ref: ref, Spec: spec(wanted.Second)})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	settled, err := diff(wanted.Second, updated.Output)
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	if _, err := driver.Delete(ctx, &pb.ResourceDeleteRequest{ResourceType: wanted.Type, Ref: ref}); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	_, gone := driver.Read(ctx, &pb.ResourceReadRequest{ResourceType: wanted.Type, Ref: ref})
	_, unknown := driver.Read(ctx, &pb.ResourceReadRequest{ResourceType: "no.such.type", Ref: ref})
	seen["created"], seen["read"] = shown(created.GetOutput()), shown(read.GetOutput())
	seen["updated"] = shown(updated.GetOutput())
	seen["diffs"] = []bool{changes(same), changes(other), changes(settled)}
	seen["gone"], seen["unknownType"] = text(gone), text(unknown)
	return nil
}

func shown(output *pb.ResourceOutput) map[string]any {
	outputs := map[string]any{}
	_ = json.Unmarshal(output.GetOutputsJson(), &outputs)
	return map[string]any{"name": output.GetName(), "type": output.GetType(), "id": output.GetProviderId(), "outputs": outputs}
}

func changes(result *pb.DiffResult) bool { return result.GetNeedsUpdate() || result.GetNeedsReplace() }

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// As a Go host does: ephemeral, status polled, then the log to its end.
func work(ctx context.Context, connection *grpc.ClientConn, wanted task, seen map[string]any) error {
	runner := pb.NewIaCProviderRunnerClient(connection)
	handle, err := runner.RunJob(ctx, &pb.JobSpec{
		Name: wanted.Name + "-job", Kind: "EPHEMERAL", RunCommand: wanted.Job, EnvVars: map[string]string{"GREETING": "hello from go"},
	})
	if err != nil {
		return fmt.Errorf("run job: %w", err)
	}
	for {
		reply, err := runner.JobStatus(ctx, handle)
		if err != nil {
			return fmt.Errorf("job status: %w", err)
		}
		if reply.State > pb.JobState_JOB_STATE_RUNNING {
			seen["state"], seen["jobExit"] = reply.State.String(), reply.ExitCode
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	stream, err := runner.JobLogs(ctx, handle)
	if err != nil {
		return fmt.Errorf("job logs: %w", err)
	}
	out, failures := strings.Builder{}, strings.Builder{}
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) || chunk.GetEof() {
			break
		}
		if err != nil {
			return fmt.Errorf("job logs: %w", err)
		}
		if strings.Contains(chunk.Source, "stderr") {
			failures.Write(chunk.Data)
		} else {
			out.Write(chunk.Data)
		}
	}
	seen["stdout"], seen["stderr"] = out.String(), failures.String()
	return nil
}
