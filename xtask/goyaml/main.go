// Measures go-yaml on a file of many documents: reading to nodes as kustomize does (v3), and writing as
// kustomize does (v2). Prints two lines, each a name and bytes per second of processor time.
package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"

	v2 "go.yaml.in/yaml/v2"
	v3 "go.yaml.in/yaml/v3"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	documents := bytes.Split(text, []byte("\n---\n"))
	var values []any
	for _, document := range documents {
		var value any
		if err := v2.Unmarshal(document, &value); err != nil {
			panic(err)
		}
		values = append(values, value)
	}
	report("read", len(text), func() {
		for _, document := range documents {
			var node v3.Node
			if err := v3.Unmarshal(document, &node); err != nil {
				panic(err)
			}
		}
	})
	report("write", len(text), func() {
		for _, value := range values {
			if _, err := v2.Marshal(value); err != nil {
				panic(err)
			}
		}
	})
}

// report runs a piece of work until two seconds have passed and prints the best round.
func report(name string, size int, work func()) {
	best := 0.0
	for start := time.Now(); time.Since(start) < 2*time.Second; {
		before := processorTime()
		work()
		if speed := float64(size) / (processorTime() - before).Seconds(); speed > best {
			best = speed
		}
	}
	fmt.Printf("%s %.0f\n", name, best)
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
