// A plugin on the public contract's own generated code and transport library, for our host to drive.
package main

import (
	"errand.test/interop/iac/mirror"
	goplugin "github.com/GoCodeAlone/go-plugin"
)

func main() {
	goplugin.Serve(&goplugin.ServeConfig{
		HandshakeConfig: mirror.Handshake,
		Plugins:         goplugin.PluginSet{"iac": mirror.Plugin{}},
		GRPCServer:      goplugin.DefaultGRPCServer,
	})
}
