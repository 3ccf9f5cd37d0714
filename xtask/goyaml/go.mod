module kelson.dev/goyaml

go 1.22

require (
	go.yaml.in/yaml/v2 v2.4.2
	go.yaml.in/yaml/v3 v3.0.3
)
