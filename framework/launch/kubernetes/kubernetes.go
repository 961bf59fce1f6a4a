// Package kubernetes writes the tasks of a submission as the manifest of an Indexed Job.
package kubernetes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// MostTasks is how many tasks one Indexed Job may have.
const MostTasks = 100_000

// Pods say how Kubernetes runs tasks.
type Pods struct {
	Image, Namespace, Queue string // container image; "": that of kubectl; local queue of Kueue
	Claim, Mount            string // a volume claim, and where pods see it; "": where the run lies
	Parallel                int    // pods at once
	Memory                  uint64 // bytes of a pod; 0: what its namespace gives it
	User, Group             int    // that files belong to; user 0: as the image says
}

// objectName is how Kubernetes names what is its own: RFC 1123.
var objectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// Check refuses what makes no sense. Errors begin with the name of what is wrong.
func (p *Pods) Check() error {
	switch {
	case p.Claim == "":
		return errors.New("claim NAME: which volume claim holds the run?")
	case p.Image == "":
		return errors.New("image IMAGE: which one?")
	case p.Parallel < 1:
		return fmt.Errorf("parallel %d: want at least 1", p.Parallel)
	case p.Mount != "" && !filepath.IsAbs(p.Mount):
		return fmt.Errorf("mount %s: want the whole of a path", p.Mount)
	case p.Mount != "" && filepath.Dir(p.Mount) == p.Mount:
		return fmt.Errorf("mount %s: a container has a root of its own", p.Mount)
	}
	for _, n := range [][2]string{{"claim", p.Claim}, {"namespace", p.Namespace},
		{"queue", p.Queue}} {
		if n[1] != "" && !objectName.MatchString(n[1]) {
			return fmt.Errorf("%s %s: Kubernetes names things with lower-case letters, digits "+
				"and hyphens", n[0], n[1])
		}
	}
	return nil
}

// Settle settles where pods see the volume, and as which user. The run must lie there; data that
// cells read should, and folders with data that do not are returned as unseen. Paths are whole, and
// without links.
func (p *Pods) Settle(run string, data []string) (unseen []string, err error) {
	p.Mount = filepath.Clean(cmp.Or(p.Mount, run))
	p.User, p.Group = max(0, os.Getuid()), max(0, os.Getgid())
	if err := launch.CheckPath(p.Mount); err != nil {
		return nil, fmt.Errorf("mount: %w", err)
	}
	switch {
	case !within(p.Mount, run):
		return nil, fmt.Errorf("mount %s: the run is not in it, but in %s", p.Mount, run)
	case strings.Contains(p.Mount, ":"):
		return nil, fmt.Errorf("mount %s: Kubernetes takes no colon there; keep the run "+
			"elsewhere with --dir", p.Mount)
	}
	for _, folder := range data {
		if _, err := os.Stat(folder); err == nil && !within(p.Mount, folder) {
			unseen = append(unseen, folder)
		}
	}
	return unseen, nil
}

// within reports whether a path is a folder or lies in it.
func within(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// Heap is how many bytes of a pod's memory the heap of its program may take: too much of it shows
// as slowness before Kubernetes kills the pod.
func (p *Pods) Heap() uint64 { return p.Memory / 10 * 9 }

// manifestText is the manifest of an Indexed Job. Every text stands in it as JSON, which is YAML.
// An index that failed is tried three times more, but not where trying again is of no use; pods
// that lost their node do not count. A pod has a minute to save its cells, and writes files that
// belong to the exporting user.
const manifestText = `# {{.Number}} of hansa, each to run at any time: kubectl create -f THIS
# The volume holds what lies here in {{json .Mount}}, and its pods write to it.
apiVersion: batch/v1
kind: Job
metadata:
  name: {{json .Name}}
{{- with .Namespace}}
  namespace: {{json .}}
{{- end}}
  labels:
    app.kubernetes.io/name: hansa
{{- with .Queue}}
    kueue.x-k8s.io/queue-name: {{json .}}
{{- end}}
spec:
  completionMode: Indexed
  completions: {{.Tasks}}
  parallelism: {{.Parallel}}
  backoffLimitPerIndex: 3
  maxFailedIndexes: {{.Tasks}}
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
    - action: Ignore
      onPodConditions:
      - type: DisruptionTarget
        status: "True"
    - action: FailIndex
      onExitCodes:
        containerName: hansa
        operator: In
        values: [{{.Hopeless}}]
  template:
    metadata:
      labels:
        app.kubernetes.io/name: hansa
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 60
{{- if .User}}
      securityContext:
        runAsUser: {{.User}}
        runAsGroup: {{.Group}}
{{- end}}
      containers:
      - name: hansa
        image: {{json .Image}}
        command:
{{- range .Command}}
        - {{json .}}
{{- end}}
        env:
        - name: GOMAXPROCS
          value: {{json .CPUs}}
        - name: GOTRACEBACK
          value: "all"
{{- with .Heap}}
        - name: GOMEMLIMIT
          value: {{json .}}
{{- end}}
        resources:
{{- range .Resources}}
          {{.}}:
            cpu: {{json $.CPUs}}
{{- with $.Memory}}
            memory: {{json .}}
{{- end}}
{{- end}}
        volumeMounts:
        - name: runs
          mountPath: {{json .Mount}}
      volumes:
      - name: runs
        persistentVolumeClaim:
          claimName: {{json .Claim}}
`

// Manifest returns the manifest of a job.
func Manifest(e *launch.Export, p *Pods) string {
	command := []string{e.Program, "task", "--run", e.Run, "--submission", e.Submission,
		"--index-env", "JOB_COMPLETION_INDEX"}
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "$", "$$") // $(NAME) would be a variable
	}
	values := map[string]any{
		"Number": phrase.Count(e.Tasks, "task", "tasks"), "Name": launch.JobName(e.Submission),
		"Namespace": p.Namespace, "Queue": p.Queue, "Tasks": e.Tasks,
		"Hopeless": launch.ExitPlan, "Parallel": min(p.Parallel, e.Tasks), "Image": p.Image,
		"Command": command, "CPUs": fmt.Sprint(e.CPUs), "Mount": p.Mount, "Claim": p.Claim,
		"Heap": "", "Memory": "", "User": p.User, "Group": p.Group,
		"Resources": []string{"requests", "limits"},
	}
	if p.Memory > 0 {
		values["Memory"] = fmt.Sprint(p.Memory)
		values["Heap"] = fmt.Sprint(p.Heap())
	}
	var b strings.Builder
	job := template.Must(template.New("job").Funcs(template.FuncMap{"json": literal}).
		Parse(manifestText))
	_ = job.Execute(&b, values) // neither the template nor a Builder fails
	return b.String()
}

// literal returns a text as JSON has it, readable as far as that goes.
func literal(text string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return strings.TrimSpace(b.String()), err
}
