// One program that answers to several names: etcd, kube-apiserver,
// kube-controller-manager and kubectl. One binary links the Kubernetes
// libraries once, which makes the build and the file a third of four separate ones.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kubectl":                 kubectl.NewDefaultKubectlCommand,
	}
	command, known := commands[name]
	if !known {
		fmt.Fprintf(os.Stderr, "%s: call this program as etcd, kube-apiserver, kube-controller-manager or kubectl\n", name)
		os.Exit(64)
	}
	os.Exit(cli.Run(command()))
}
