// A provider on the public contract's own SDK that serves every service, in memory. Our host drives it through all of them.
package main

import (
	"context"

	goplugin "github.com/GoCodeAlone/go-plugin"
	"github.com/GoCodeAlone/workflow/plugin/external/contract"
	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"github.com/GoCodeAlone/workflow/plugin/external/sdk"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

func main() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: contract.Handshake,
		Plugins:         goplugin.PluginSet{"iac": served{}},
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}

type served struct{}

func (served) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	memory := newProvider()
	server.RegisterService(&jobCanceler, memory)
	return sdk.RegisterAllIaCProviderServices(server, memory)
}

func (served) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return connection, nil
}

// The service is younger than the release of the SDK, so it is described here; its messages are the SDK's.
var jobCanceler = grpc.ServiceDesc{
	ServiceName: "workflow.plugin.external.iac.IaCProviderJobCanceler",
	HandlerType: (*any)(nil),
	Methods: []grpc.MethodDesc{{
		MethodName: "CancelJob",
		Handler: func(server any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			handle := new(pb.JobHandle)
			if err := decode(handle); err != nil {
				return nil, err
			}
			return new(emptypb.Empty), server.(*provider).cancelJob(handle)
		},
	}},
}
