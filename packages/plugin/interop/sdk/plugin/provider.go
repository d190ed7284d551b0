package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/GoCodeAlone/workflow/interfaces"
	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type provider struct {
	pb.UnimplementedIaCProviderRequiredServer
	pb.UnimplementedIaCProviderEnumeratorServer
	pb.UnimplementedIaCProviderDriftDetectorServer
	pb.UnimplementedIaCProviderDriftConfigDetectorServer
	pb.UnimplementedIaCProviderCredentialRevokerServer
	pb.UnimplementedIaCProviderRegionListerServer
	pb.UnimplementedIaCProviderOwnershipServer
	pb.UnimplementedIaCProviderFinalizerServer
	pb.UnimplementedIaCProviderMigrationRepairerServer
	pb.UnimplementedIaCProviderValidatorServer
	pb.UnimplementedIaCProviderLogCaptureServer
	pb.UnimplementedIaCProviderRunnerServer
	pb.UnimplementedIaCRequirementDiscoveryServer
	pb.UnimplementedIaCProviderRequirementMapperServer
	pb.UnimplementedResourceDriverServer
	pb.UnimplementedIaCStateBackendServer

	mutex      sync.Mutex
	config     map[string]any
	things     map[string]*thing
	made       int
	revoked    []string
	finalized  []string
	jobs       map[string]*job
	configured string
	states     map[string]*pb.IaCState
	locks      map[string]bool
}

func newProvider() *provider {
	return &provider{
		things: map[string]*thing{},
		jobs:   map[string]*job{},
		states: map[string]*pb.IaCState{},
		locks:  map[string]bool{},
	}
}

func (p *provider) Initialize(_ context.Context, request *pb.InitializeRequest) (*pb.InitializeResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(request.ConfigJson) > 0 {
		if err := json.Unmarshal(request.ConfigJson, &p.config); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
	}
	if p.config["token"] == "wrong" {
		return nil, fmt.Errorf("memory: signing in: %w", interfaces.ErrUnauthorized)
	}
	return &pb.InitializeResponse{}, nil
}

func (p *provider) Name(context.Context, *pb.NameRequest) (*pb.NameResponse, error) {
	return &pb.NameResponse{Name: "memory"}, nil
}

func (p *provider) Version(context.Context, *pb.VersionRequest) (*pb.VersionResponse, error) {
	return &pb.VersionResponse{Version: "1.2.3"}, nil
}

func (p *provider) Capabilities(context.Context, *pb.CapabilitiesRequest) (*pb.CapabilitiesResponse, error) {
	operations := []string{"create", "read", "update", "delete", "scale"}
	return &pb.CapabilitiesResponse{
		Capabilities: []*pb.IaCCapabilityDeclaration{
			{ResourceType: "memory.thing", Tier: 1, Operations: operations},
			{ResourceType: "infra.database", Tier: 1, Operations: operations},
		},
		CanonicalKeys:      []string{"region", "size", "engine"},
		ComputePlanVersion: "v2",
	}, nil
}

func (p *provider) Plan(context.Context, *pb.PlanRequest) (*pb.PlanResponse, error) {
	return &pb.PlanResponse{Plan: &pb.IaCPlan{Id: "plan-1"}}, nil
}

func (p *provider) Destroy(_ context.Context, request *pb.DestroyRequest) (*pb.DestroyResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	result := &pb.DestroyResult{}
	for _, ref := range request.Refs {
		found, err := p.find(ref)
		if err != nil {
			result.Errors = append(result.Errors, &pb.ActionError{Resource: ref.Name, Action: "delete", Error: err.Error()})
			continue
		}
		delete(p.things, found.name)
		result.Destroyed = append(result.Destroyed, found.name)
	}
	return &pb.DestroyResponse{Result: result}, nil
}

func (p *provider) Status(_ context.Context, request *pb.StatusRequest) (*pb.StatusResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	response := &pb.StatusResponse{}
	for _, ref := range request.Refs {
		found, err := p.find(ref)
		if errors.Is(err, interfaces.ErrResourceNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		response.Statuses = append(response.Statuses, &pb.ResourceStatus{
			Name: found.name, Type: found.kind, ProviderId: found.id, Status: "running", OutputsJson: found.outputs(),
		})
	}
	return response, nil
}

func (p *provider) Import(_ context.Context, request *pb.ImportRequest) (*pb.ImportResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(&pb.ResourceRef{Type: request.ResourceType, ProviderId: request.ProviderId})
	if err != nil {
		return nil, err
	}
	return &pb.ImportResponse{State: &pb.ResourceState{
		Id: found.name, Name: found.name, Type: found.kind, Provider: "memory", ProviderId: found.id, OutputsJson: found.outputs(),
	}}, nil
}

func (p *provider) ResolveSizing(_ context.Context, request *pb.ResolveSizingRequest) (*pb.ResolveSizingResponse, error) {
	specs, err := json.Marshal(map[string]any{"cpu": 2, "memory": request.GetHints().GetMemory()})
	return &pb.ResolveSizingResponse{Sizing: &pb.ProviderSizing{InstanceType: "mem-" + request.Size, SpecsJson: specs}}, err
}

func (p *provider) BootstrapStateBackend(_ context.Context, _ *pb.BootstrapStateBackendRequest) (*pb.BootstrapStateBackendResponse, error) {
	return &pb.BootstrapStateBackendResponse{Result: &pb.BootstrapResult{
		Bucket: "states", Region: "here", Endpoint: "memory://", EnvVars: map[string]string{"STATE_BUCKET": "states"},
	}}, nil
}
