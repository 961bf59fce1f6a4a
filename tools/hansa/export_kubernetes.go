package main

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

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/session"
	"github.com/hansa-fl/hansa/framework/session/phrase"
)

// pods say how Kubernetes runs tasks.
type pods struct {
	image, namespace, queue string
	claim, mount            string // a volume, and where pods see it; "": where the run lies
	parallel                int
	memory                  session.Size // of a pod; 0: what its namespace gives it
	user, group             int          // that files belong to; user 0: as the image says
}

func (p *pods) flags(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&p.claim, "claim", "", "for pods: the volume claim `NAME` that holds the run")
	fs.StringVar(&p.mount, "mount", "", "for pods: where they see the volume, a `FOLDER` that has "+
		"the run under the same path as here (default the folder of the run)")
	fs.StringVar(&p.image, "image", "debian:12-slim", "for pods: the `IMAGE` of the container")
	fs.StringVar(&p.namespace, "namespace", "",
		"for pods: their `NAMESPACE` (default that of kubectl)")
	fs.StringVar(&p.queue, "queue", "", "for pods: the local queue `NAME` of Kueue")
	fs.IntVar(&p.parallel, "parallel", 256, "for pods: at most `N` at once")
	fs.Var(&p.memory, "mem", "for pods: the `SIZE` of the memory of each, such as 4GiB (default "+
		"what the namespace gives)")
	completeFlag(cmd, "mount")
	for _, name := range []string{"claim", "image", "namespace", "queue", "parallel", "mem"} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions)
	}
}

// names are its flags.
func (p *pods) names() []string {
	return []string{"claim", "mount", "image", "namespace", "queue", "parallel", "mem"}
}

// objectName is how Kubernetes names what is its own: RFC 1123.
var objectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$`)

// check refuses what makes no sense.
func (p *pods) check() error {
	switch {
	case p.claim == "":
		return errors.New("--claim NAME: which volume claim holds the run?")
	case p.image == "":
		return errors.New("--image IMAGE: which one?")
	case p.parallel < 1:
		return fmt.Errorf("--parallel %d: want at least 1", p.parallel)
	case p.mount != "" && !filepath.IsAbs(p.mount):
		return fmt.Errorf("--mount %s: want the whole of a path", p.mount)
	case p.mount != "" && filepath.Dir(p.mount) == p.mount:
		return fmt.Errorf("--mount %s: a container has a root of its own", p.mount)
	}
	for _, n := range [][2]string{{"claim", p.claim}, {"namespace", p.namespace},
		{"queue", p.queue}} {
		if n[1] != "" && !objectName.MatchString(n[1]) {
			return fmt.Errorf("--%s %s: Kubernetes names things with lower-case letters, digits "+
				"and hyphens", n[0], n[1])
		}
	}
	return nil
}

// see settles where pods see the volume, and as whom. The run must lie there, and data that cells
// read should.
func (p *pods) see(c *command, run string, data []string) error {
	p.mount = filepath.Clean(cmp.Or(p.mount, run))
	p.user, p.group = max(0, os.Getuid()), max(0, os.Getgid())
	if err := writable(p.mount); err != nil {
		return err
	}
	switch {
	case !within(p.mount, run):
		return fmt.Errorf("--mount %s: the run is not in it, but in %s", p.mount, run)
	case strings.Contains(p.mount, ":"):
		return fmt.Errorf("--mount %s: Kubernetes takes no colon there; keep the run elsewhere "+
			"with --dir", p.mount)
	}
	for _, folder := range data {
		if _, err := os.Stat(folder); err == nil && !within(p.mount, session.Real(folder)) {
			c.Sayf("hansa: pods see %s, where data in %s are not: cells that read these will fail "+
				"(--data, --mount)", p.mount, folder)
		}
	}
	return nil
}

// within reports whether a path is a folder or lies in it.
func within(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// heap is how much of a pod's memory the heap of its program may take: too much of it shows as
// slowness before Kubernetes kills the pod.
func (p *pods) heap() session.Size { return p.memory / 10 * 9 }

// manifestText is the manifest of an Indexed Job. Every text stands in it as JSON, which is YAML.
// An index that failed is tried three times more, but not where trying again is of no use; pods
// that lost their node do not count. A pod has a minute to save its cells, and writes files that
// belong to whoever exported it.
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

// manifest returns the manifest of a job.
func (p *pods) manifest(t *tasks) string {
	command := []string{t.program, "task", "--run", t.run, "--submission", t.submission,
		"--index-env", "JOB_COMPLETION_INDEX"}
	for i, word := range command {
		command[i] = strings.ReplaceAll(word, "$", "$$") // $(NAME) would be a variable
	}
	values := map[string]any{
		"Number": phrase.Count(t.number, "task", "tasks"), "Name": launch.JobName(t.submission),
		"Namespace": p.namespace, "Queue": p.queue, "Tasks": t.number, "Hopeless": exitPlan,
		"Parallel": min(p.parallel, t.number), "Image": p.image, "Command": command,
		"CPUs": fmt.Sprint(t.cpus), "Mount": p.mount, "Claim": p.claim, "Heap": "", "Memory": "",
		"User": p.user, "Group": p.group,
		"Resources": []string{"requests", "limits"},
	}
	if p.memory > 0 {
		values["Memory"] = fmt.Sprint(uint64(p.memory))
		values["Heap"] = fmt.Sprint(uint64(p.heap()))
	}
	var b strings.Builder
	job := template.Must(template.New("job").Funcs(template.FuncMap{"json": literalJSON}).
		Parse(manifestText))
	_ = job.Execute(&b, values) // neither the template nor a Builder fails
	return b.String()
}

// literalJSON returns a text as JSON has it, readable as far as that goes.
func literalJSON(text string) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(text)
	return strings.TrimSpace(b.String()), err
}
