package main

import (
	"context"
	"slices"
	"strings"

	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func (p *provider) ListBackendNames(context.Context, *pb.ListBackendNamesRequest) (*pb.ListBackendNamesResponse, error) {
	return &pb.ListBackendNamesResponse{BackendNames: []string{"memory"}}, nil
}

func (p *provider) Configure(_ context.Context, request *pb.ConfigureRequest) (*pb.ConfigureResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.configured = request.BackendName
	return &pb.ConfigureResponse{}, nil
}

func (p *provider) ready() error {
	if p.configured == "" {
		return status.Error(codes.FailedPrecondition, "Configure comes first")
	}
	return nil
}

func (p *provider) GetState(_ context.Context, request *pb.GetStateRequest) (*pb.GetStateResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	state, exists := p.states[request.ResourceId]
	return &pb.GetStateResponse{State: state, Exists: exists}, p.ready()
}

func (p *provider) SaveState(_ context.Context, request *pb.SaveStateRequest) (*pb.SaveStateResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.states[request.GetState().GetResourceId()] = proto.Clone(request.State).(*pb.IaCState)
	return &pb.SaveStateResponse{}, p.ready()
}

func (p *provider) ListStates(_ context.Context, request *pb.ListStatesRequest) (*pb.ListStatesResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	response := &pb.ListStatesResponse{}
	for _, state := range p.states {
		if wanted, filtered := request.Filter["resource_type"]; !filtered || wanted == state.ResourceType {
			response.States = append(response.States, state)
		}
	}
	slices.SortFunc(response.States, func(a, b *pb.IaCState) int { return strings.Compare(a.ResourceId, b.ResourceId) })
	return response, p.ready()
}

func (p *provider) DeleteState(_ context.Context, request *pb.DeleteStateRequest) (*pb.DeleteStateResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.states, request.ResourceId)
	return &pb.DeleteStateResponse{}, p.ready()
}

func (p *provider) Lock(_ context.Context, request *pb.LockRequest) (*pb.LockResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.locks[request.ResourceId] {
		return nil, status.Errorf(codes.AlreadyExists, "somebody has the lock %q", request.ResourceId)
	}
	p.locks[request.ResourceId] = true
	return &pb.LockResponse{}, p.ready()
}

func (p *provider) Unlock(_ context.Context, request *pb.UnlockRequest) (*pb.UnlockResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.locks, request.ResourceId)
	return &pb.UnlockResponse{}, p.ready()
}
