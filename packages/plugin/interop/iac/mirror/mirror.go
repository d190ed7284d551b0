package mirror

import (
	"context"
	"fmt"
	"strings"

	goplugin "github.com/GoCodeAlone/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	// Registers the generated types of the public contract.
	_ "github.com/GoCodeAlone/workflow/plugin/external/proto"
)

var Handshake = goplugin.HandshakeConfig{
	ProtocolVersion:  1,
	MagicCookieKey:   "WORKFLOW_PLUGIN",
	MagicCookieValue: "workflow-external-plugin-v1",
}

// Plugin serves every service of the public contract, each method answering with a filled message.
type Plugin struct{}

func (Plugin) GRPCServer(_ *goplugin.GRPCBroker, server *grpc.Server) error {
	for _, service := range Services() {
		description := grpc.ServiceDesc{ServiceName: string(service.FullName()), HandlerType: (*any)(nil)}
		methods := service.Methods()
		for i := range methods.Len() {
			method := methods.Get(i)
			if method.IsStreamingServer() {
				stream := grpc.StreamDesc{StreamName: string(method.Name()), Handler: answerStream(method), ServerStreams: true}
				description.Streams = append(description.Streams, stream)
			} else {
				description.Methods = append(description.Methods, grpc.MethodDesc{MethodName: string(method.Name()), Handler: answer(method)})
			}
		}
		server.RegisterService(&description, Plugin{})
	}
	return nil
}

func (Plugin) GRPCClient(_ context.Context, _ *goplugin.GRPCBroker, connection *grpc.ClientConn) (any, error) {
	return connection, nil
}

// Services lists those of the public contract.
func Services() []protoreflect.ServiceDescriptor {
	var found []protoreflect.ServiceDescriptor
	protoregistry.GlobalFiles.RangeFiles(func(file protoreflect.FileDescriptor) bool {
		if strings.HasPrefix(string(file.Package()), "workflow.plugin.") {
			for i := range file.Services().Len() {
				found = append(found, file.Services().Get(i))
			}
		}
		return true
	})
	return found
}

func answer(method protoreflect.MethodDescriptor) func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error) {
	return func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		request := New(method.Input())
		if err := decode(request); err != nil {
			return nil, err
		}
		if err := Check(request); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		return Filled(method.Output()), nil
	}
}

func answerStream(method protoreflect.MethodDescriptor) grpc.StreamHandler {
	return func(_ any, stream grpc.ServerStream) error {
		request := New(method.Input())
		if err := stream.RecvMsg(request); err != nil {
			return err
		}
		if err := Check(request); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		for range 2 {
			if err := stream.SendMsg(Filled(method.Output())); err != nil {
				return err
			}
		}
		return nil
	}
}

// New gives an empty message of the generated Go type.
func New(descriptor protoreflect.MessageDescriptor) proto.Message {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(descriptor.FullName())
	if err != nil {
		panic(err)
	}
	return kind.New().Interface()
}

// Filled gives a message with every field set.
func Filled(descriptor protoreflect.MessageDescriptor) proto.Message {
	message := New(descriptor)
	Fill(message.ProtoReflect(), 0)
	return message
}

// Check says in what a message differs from a filled one.
func Check(message proto.Message) error {
	wanted := Filled(message.ProtoReflect().Descriptor())
	if proto.Equal(message, wanted) {
		return nil
	}
	return fmt.Errorf("got %s\nwanted %s", prototext.Format(message), prototext.Format(wanted))
}
