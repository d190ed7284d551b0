package main

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (p *provider) EnumerateAll(_ context.Context, request *pb.EnumerateAllRequest) (*pb.EnumerateAllResponse, error) {
	if err := known(request.ResourceType); err != nil {
		return nil, err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	response := &pb.EnumerateAllResponse{}
	for _, one := range p.things {
		if one.kind == request.ResourceType {
			response.Outputs = append(response.Outputs, one.output())
		}
	}
	return response, nil
}

func (p *provider) EnumerateByTag(_ context.Context, request *pb.EnumerateByTagRequest) (*pb.EnumerateByTagResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	response := &pb.EnumerateByTagResponse{}
	for _, one := range p.things {
		if one.config["tag"] == request.Tag {
			response.Refs = append(response.Refs, &pb.ResourceRef{Name: one.name, Type: one.kind, ProviderId: one.id})
		}
	}
	return response, nil
}

func (p *provider) drifts(refs []*pb.ResourceRef, specs map[string]*pb.ResourceSpec) []*pb.DriftResult {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	var results []*pb.DriftResult
	for _, ref := range refs {
		result := &pb.DriftResult{Name: ref.Name, Type: ref.Type, Class: pb.DriftClass_DRIFT_CLASS_IN_SYNC}
		found, err := p.find(ref)
		if err != nil {
			result.Drifted, result.Class = true, pb.DriftClass_DRIFT_CLASS_GHOST
		} else if spec := specs[ref.Name]; spec != nil {
			desired, _ := configOf(spec)
			for key, value := range desired {
				if !reflect.DeepEqual(found.config[key], value) {
					result.Drifted, result.Class = true, pb.DriftClass_DRIFT_CLASS_CONFIG
					result.Fields = append(result.Fields, key)
				}
			}
			result.ExpectedJson, result.ActualJson = spec.ConfigJson, found.outputs()
		}
		results = append(results, result)
	}
	return results
}

func (p *provider) DetectDrift(_ context.Context, request *pb.DetectDriftRequest) (*pb.DetectDriftResponse, error) {
	return &pb.DetectDriftResponse{Drifts: p.drifts(request.Refs, nil)}, nil
}

func (p *provider) DetectDriftWithSpecs(_ context.Context, request *pb.DetectDriftWithSpecsRequest) (*pb.DetectDriftWithSpecsResponse, error) {
	return &pb.DetectDriftWithSpecsResponse{Drifts: p.drifts(request.Refs, request.Specs)}, nil
}

func (p *provider) DetectDriftConfig(_ context.Context, request *pb.DetectDriftConfigRequest) (*pb.DetectDriftConfigResponse, error) {
	return &pb.DetectDriftConfigResponse{Drifts: p.drifts(request.Refs, request.Specs)}, nil
}

func (p *provider) RevokeProviderCredential(_ context.Context, request *pb.RevokeProviderCredentialRequest) (*pb.RevokeProviderCredentialResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.revoked = append(p.revoked, request.Source+"/"+request.CredentialId)
	return &pb.RevokeProviderCredentialResponse{}, nil
}

// Beside the regions, what the calls without an answer left behind: so a test can see that they arrived.
func (p *provider) ListRegions(_ context.Context, request *pb.ListRegionsRequest) (*pb.ListRegionsResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	region, _ := p.config["region"].(string)
	return &pb.ListRegionsResponse{Regions: []*pb.ProviderRegion{
		{Name: region, DisplayName: "where " + request.EnvName + " is"},
		{Name: "revoked", DisplayName: strings.Join(p.revoked, " ")},
		{Name: "finalized", DisplayName: strings.Join(p.finalized, " ")},
	}}, nil
}

func (p *provider) GetOwner(_ context.Context, request *pb.GetOwnerRequest) (*pb.GetOwnerResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(request.Ref)
	if err != nil {
		return nil, err
	}
	return &pb.GetOwnerResponse{Owner: found.owner, Source: "memory"}, nil
}

func (p *provider) SetOwner(_ context.Context, request *pb.SetOwnerRequest) (*pb.SetOwnerResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, err := p.find(request.Ref)
	if err != nil {
		return nil, err
	}
	found.owner = request.Owner
	return &pb.SetOwnerResponse{}, nil
}

func (p *provider) ListOwners(_ context.Context, request *pb.ListOwnersRequest) (*pb.ListOwnersResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	response := &pb.ListOwnersResponse{}
	for _, one := range p.things {
		if one.owner == request.Owner && (request.ResourceType == "" || request.ResourceType == one.kind) {
			ref := &pb.ResourceRef{Name: one.name, Type: one.kind, ProviderId: one.id}
			response.Resources = append(response.Resources, &pb.OwnedResource{Ref: ref, Owner: one.owner, Source: "memory"})
		}
	}
	return response, nil
}

func (p *provider) FinalizeApply(_ context.Context, request *pb.FinalizeApplyRequest) (*pb.FinalizeApplyResponse, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.finalized = append(p.finalized, request.PlanId)
	if request.PlanId == "bad" {
		return &pb.FinalizeApplyResponse{Errors: []*pb.ActionError{{Resource: "db", Action: "finalize", Error: "it would not"}}}, nil
	}
	return &pb.FinalizeApplyResponse{}, nil
}

func (p *provider) RepairDirtyMigration(_ context.Context, request *pb.RepairDirtyMigrationRequest) (*pb.RepairDirtyMigrationResponse, error) {
	if request.GetRequest().GetConfirmForce() != "FORCE_MIGRATION_METADATA" {
		return nil, status.Error(codes.FailedPrecondition, "the force was not confirmed")
	}
	return &pb.RepairDirtyMigrationResponse{Result: &pb.MigrationRepairResult{
		ProviderJobId: "job-9", Status: "succeeded", Applied: []string{request.Request.ForceVersion}, Logs: "repaired " + request.Request.DatabaseResourceName,
	}}, nil
}

func (p *provider) ValidatePlan(_ context.Context, request *pb.ValidatePlanRequest) (*pb.ValidatePlanResponse, error) {
	response := &pb.ValidatePlanResponse{}
	for _, action := range request.GetPlan().GetActions() {
		config, err := configOf(action.Resource)
		if err != nil {
			return nil, err
		}
		if config["vpc_ref"] == "missing-vpc" {
			response.Diagnostics = append(response.Diagnostics, &pb.PlanDiagnostic{
				Severity: pb.PlanDiagnosticSeverity_PLAN_DIAGNOSTIC_ERROR, Resource: action.Resource.Name, Field: "vpc_ref", Message: "there is no such network",
			})
		}
	}
	return response, nil
}

func (p *provider) CaptureLogs(request *pb.CaptureLogsRequest, stream grpc.ServerStreamingServer[pb.LogChunk]) error {
	for _, line := range []string{"one", "two", request.LogType.String()} {
		if err := stream.Send(&pb.LogChunk{Data: []byte(line + "\n"), Source: request.ResourceName}); err != nil {
			return err
		}
	}
	return stream.Send(&pb.LogChunk{Eof: true})
}

func (p *provider) DiscoverRequirements(_ context.Context, request *pb.DiscoverRequirementsRequest) (*pb.DiscoverRequirementsResponse, error) {
	parameters, err := json.Marshal(map[string]any{"modules": len(request.GetContext().GetModules())})
	return &pb.DiscoverRequirementsResponse{Requirements: []*pb.IaCRequirement{{
		Key: "db", Kind: pb.RequirementKind_REQUIREMENT_KIND_DATABASE, Source: request.GetContext().GetApplication(),
		ResourceTypeHint: "infra.database", Runtimes: []pb.RequirementRuntime{pb.RequirementRuntime_REQUIREMENT_RUNTIME_KUBERNETES}, ParametersJson: parameters,
	}}}, err
}

func (p *provider) MapRequirements(_ context.Context, request *pb.MapRequirementsRequest) (*pb.MapRequirementsResponse, error) {
	response := &pb.MapRequirementsResponse{}
	for _, one := range request.Requirements {
		if one.Kind != pb.RequirementKind_REQUIREMENT_KIND_DATABASE {
			rejected := &pb.RequirementDiagnostic{Key: one.Key, Code: "unsupported", Message: "databases only"}
			response.Rejected = append(response.Rejected, rejected)
			continue
		}
		response.AcceptedKeys = append(response.AcceptedKeys, one.Key)
		response.Modules = append(response.Modules, &pb.DerivedModuleSpec{
			Name: one.Key, Type: "infra.database", Satisfies: []string{one.Key}, ConfigJson: []byte(`{"engine":"postgres"}`),
		})
	}
	slices.Sort(response.AcceptedKeys)
	return response, nil
}
