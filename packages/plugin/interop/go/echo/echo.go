// Package echo is the service that both the Go plugin and the Go host of the interop tests speak. It is written down by
// hand over well-known message types, so that no code has to be generated.
package echo

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	plugin "github.com/hashicorp/go-plugin"
)

// Handshake holds the values of the public provider contract.
var Handshake = plugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "WORKFLOW_PLUGIN",
	MagicCookieValue: "workflow-external-plugin-v1",
}

// Method answers one call.
type Method func(request []byte) ([]byte, error)

// Plugin serves its methods, or calls those of the other side.
type Plugin struct {
	plugin.NetRPCUnsupportedPlugin
	Methods map[string]Method
}

const service = "errand.test.Echo"

func (p *Plugin) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	description := grpc.ServiceDesc{ServiceName: service, HandlerType: (*any)(nil)}
	for name, method := range p.Methods {
		description.Methods = append(description.Methods, grpc.MethodDesc{MethodName: name, Handler: handler(method)})
	}
	server.RegisterService(&description, p)
	return nil
}

func handler(method Method) func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error) {
	return func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request wrapperspb.BytesValue
		if err := decode(&request); err != nil {
			return nil, err
		}
		reply, err := method(request.Value)
		if err != nil {
			return nil, err
		}
		return wrapperspb.Bytes(reply), nil
	}
}

// Caller calls methods of the other side by name.
type Caller func(ctx context.Context, method string, request []byte) ([]byte, error)

func (p *Plugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return Caller(func(ctx context.Context, method string, request []byte) ([]byte, error) {
		var reply wrapperspb.BytesValue
		err := connection.Invoke(ctx, "/"+service+"/"+method, wrapperspb.Bytes(request), &reply)
		return reply.Value, err
	}), nil
}
