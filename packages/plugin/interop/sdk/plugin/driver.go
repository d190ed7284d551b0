package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/GoCodeAlone/workflow/interfaces"
	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

type thing struct {
	name, kind, id, owner string
	config                map[string]any
}

var kinds = []string{"memory.thing", "infra.database"}

// Errors go out as the drivers of existing plugins give them: plain Go errors that hold a sentinel's text.
func (p *provider) find(ref *pb.ResourceRef) (*thing, error) {
	for _, one := range p.things {
		if one.kind == ref.Type && (one.id == ref.ProviderId || (ref.ProviderId == "" && one.name == ref.Name)) {
			return one, nil
		}
	}
	return nil, fmt.Errorf("memory: %s %q: %w", ref.Type, ref.Name, interfaces.ErrResourceNotFound)
}

func known(kind string) error {
	if slices.Contains(kinds, kind) {
		return nil
	}
	return status.Errorf(codes.NotFound, "no driver for %q", kind)
}

func (t *thing) outputs() []byte {
	outputs := map[string]any{"password": "hunter2", "endpoint": t.name + ".memory"}
	for key, value := range t.config {
		outputs[key] = value
	}
	encoded, _ := json.Marshal(outputs)
	return encoded
}

func (t *thing) output() *pb.ResourceOutput {
	return &pb.ResourceOutput{
		Name: t.name, Type: t.kind, ProviderId: t.id, OutputsJson: t.outputs(), Sensitive: map[string]bool{"password": true}, Status: "running",
	}
}

func configOf(spec *pb.ResourceSpec) (map[string]any, error) {
	config := map[string]any{}
	if len(spec.GetConfigJson()) == 0 {
		return config, nil
	}
	if err := json.Unmarshal(spec.ConfigJson, &config); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	return config, nil
}

func (p *provider) Create(_ context.Context, request *pb.ResourceCreateRequest) (*pb.ResourceCreateResponse, error) {
	if err := known(request.ResourceType); err != nil {
		return nil, err
	}
	config, err := configOf(request.Spec)
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if config["fail"] != nil {
		return nil, p.failure(config["fail"])
	}
	name := request.GetSpec().GetName()
	if _, there := p.things[name]; there {
		return nil, fmt.Errorf("memory: create %q: %w", name, interfaces.ErrResourceAlreadyExists)
	}
	p.made++
	made := &thing{name: name, kind: request.ResourceType, id: fmt.Sprintf("mem-%d", p.made), config: config}
	p.things[name] = made
	return &pb.ResourceCreateResponse{Output: made.output()}, nil
}

func (p *provider) failure(how any) error {
	for text, sentinel := range map[string]error{
		"throttled": interfaces.ErrRateLimited, "transient": interfaces.ErrTransient, "forbidden": interfaces.ErrForbidden,
		"invalid": interfaces.ErrValidation, "image": interfaces.ErrImageNotInRegistry,
	} {
		if how == text {
			return fmt.Errorf("memory: create: %w", sentinel)
		}
	}
	return status.Error(codes.ResourceExhausted, "too many things")
}

func (p *provider) Read(_ context.Context, request *pb.ResourceReadRequest) (*pb.ResourceReadResponse, error) {
	if err := known(request.ResourceType); err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(request.Ref)
	if err != nil {
		return nil, err
	}
	return &pb.ResourceReadResponse{Output: found.output()}, nil
}

func (p *provider) Update(_ context.Context, request *pb.ResourceUpdateRequest) (*pb.ResourceUpdateResponse, error) {
	config, err := configOf(request.Spec)
	if err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(request.Ref)
	if err != nil {
		return nil, err
	}
	found.config = config
	return &pb.ResourceUpdateResponse{Output: found.output()}, nil
}

func (p *provider) Delete(_ context.Context, request *pb.ResourceDeleteRequest) (*pb.ResourceDeleteResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if found, err := p.find(request.Ref); err == nil {
		delete(p.things, found.name)
	}
	return &pb.ResourceDeleteResponse{}, nil
}

func (p *provider) Diff(_ context.Context, request *pb.ResourceDiffRequest) (*pb.ResourceDiffResponse, error) {
	desired, err := configOf(request.Desired)
	if err != nil {
		return nil, err
	}
	current := map[string]any{}
	if err := json.Unmarshal(request.GetCurrent().GetOutputsJson(), &current); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	result := &pb.DiffResult{}
	for key, value := range desired {
		if reflect.DeepEqual(value, current[key]) {
			continue
		}
		before, _ := json.Marshal(current[key])
		after, _ := json.Marshal(value)
		change := &pb.FieldChange{Path: key, OldJson: before, NewJson: after, ForceNew: key == "engine"}
		result.Changes = append(result.Changes, change)
		result.NeedsReplace = result.NeedsReplace || change.ForceNew
		result.NeedsUpdate = true
	}
	if len(result.Changes) == 0 {
		// No result at all is how some plugins say that nothing changed.
		return &pb.ResourceDiffResponse{}, nil
	}
	return &pb.ResourceDiffResponse{Result: result}, nil
}

func (p *provider) Scale(_ context.Context, request *pb.ResourceScaleRequest) (*pb.ResourceScaleResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(request.Ref)
	if err != nil {
		return nil, err
	}
	found.config["replicas"] = request.Replicas
	return &pb.ResourceScaleResponse{Output: found.output()}, nil
}

func (p *provider) HealthCheck(_ context.Context, request *pb.ResourceHealthCheckRequest) (*pb.ResourceHealthCheckResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if _, err := p.find(request.Ref); err != nil {
		return nil, err
	}
	return &pb.ResourceHealthCheckResponse{Result: &pb.HealthResult{Healthy: true, Message: "as it should be"}}, nil
}

func (p *provider) SensitiveKeys(context.Context, *pb.SensitiveKeysRequest) (*pb.SensitiveKeysResponse, error) {
	return &pb.SensitiveKeysResponse{Keys: []string{"password"}}, nil
}

func (p *provider) Troubleshoot(_ context.Context, request *pb.TroubleshootRequest) (*pb.TroubleshootResponse, error) {
	return &pb.TroubleshootResponse{Diagnostics: []*pb.Diagnostic{
		{Id: "d-1", Phase: "deploy", Cause: request.FailureMsg, Detail: "it is a test", At: &timestamppb.Timestamp{Seconds: 1_700_000_000}},
	}}, nil
}
