// Command kubernetes is a whole Kubernetes in one executable: etcd, the control plane, the kubelet and kube-proxy, as
// they are released, each chosen by the first argument. One link of what they share takes a sixth of the disk and of
// the build time of six, and their sources come from the Go module proxy, so that a test needs no image registry.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/metrics/prometheus/clientgo" // registers the client's metrics, as the released programs do
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

// components has what builds each command; functions, because a command registers flags and signal handlers when it is
// built, and two of them in one process would panic.
var components = map[string]func() *cobra.Command{
	"kube-apiserver":          apiserver.NewAPIServerCommand,
	"kube-controller-manager": controllermanager.NewControllerManagerCommand,
	"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	"kube-proxy":              proxy.NewProxyCommand,
	// Not the context of a signal handler: the kubelet sets up one of its own when it runs.
	"kubelet": func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
}

func main() {
	if len(os.Args) < 2 {
		fail("names no component")
	}
	name := os.Args[1]
	os.Args = os.Args[1:]
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	build, found := components[name]
	if !found {
		fail(fmt.Sprintf("%q is not a component", name))
	}
	os.Exit(cli.Run(build()))
}

func fail(problem string) {
	names := []string{"etcd"}
	for name := range components {
		names = append(names, name)
	}
	slices.Sort(names)
	fmt.Fprintf(os.Stderr, "%s; usage: kubernetes %s [flags]\n", problem, strings.Join(names, "|"))
	os.Exit(2)
}
