// Usage: go run kube_chart.go TEMPLATE < VALUES
//
// A template of a Helm chart, as Go's own engine renders it with the values,
// an object of JSON. Functions that only Helm has are not known here.
package main

import (
	"encoding/json"
	"log"
	"os"
	"text/template"
)

func main() {
	var values map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&values); err != nil {
		log.Fatal(err)
	}
	chart, err := template.ParseFiles(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	chart.Option("missingkey=error")
	if err := chart.Execute(os.Stdout, values); err != nil {
		log.Fatal(err)
	}
}
