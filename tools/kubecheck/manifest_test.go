// Package kubecheck holds the manifests that hansa export-jobs writes to the types of Kubernetes'
// API. It is a module of its own, so that hansa needs none of that.
package kubecheck

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation"
)

// read decodes a manifest as a server of the API does that is asked to be strict: what is unknown,
// misspelt or there twice is an error.
func read(t *testing.T, text string) (*batch.Job, error) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := batch.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	object, _, err := strict.Decode([]byte(text), nil, nil)
	if err != nil {
		return nil, err
	}
	job, ok := object.(*batch.Job)
	if !ok {
		t.Fatalf("it is a %T", object)
	}
	return job, nil
}

// text returns a manifest of the tests of hansa.
func text(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "framework", "launch", "kubernetes", "testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// wanted is what manifests have to say, as it was asked for.
var wanted = map[string]struct {
	tasks, parallel  int32
	cpus             string
	memory           int64
	namespace, queue string
	user             int64 // 0: that of the image
	run, mount       string
}{
	"simple": {tasks: 12, parallel: 12, cpus: "1", run: "/data/runs/grid", mount: "/data/runs/grid"},
	"queue": {tasks: 12, parallel: 5, cpus: "1", memory: 4 << 30, namespace: "fl",
		queue: "user-queue", user: 1000, run: "/data/runs/grid", mount: "/data"},
	"strange": {tasks: 1, parallel: 1, cpus: "4", run: `/data/it's "a $(HOME)" of 連邦: #1 \ &`,
		mount: `/data/it's "a $(HOME)" of 連邦: #1 \ &`},
}

func TestManifests(t *testing.T) {
	files, err := filepath.Glob("../../framework/launch/kubernetes/testdata/*.yaml")
	if err != nil || len(files) != len(wanted) {
		t.Fatalf("%d manifests, want %d; %v", len(files), len(wanted), err)
	}
	for name, w := range wanted {
		t.Run(name, func(t *testing.T) {
			job, err := read(t, text(t, name))
			if err != nil {
				t.Fatal(err)
			}
			s := &job.Spec
			same(t, "completions", *s.Completions, w.tasks)
			same(t, "failed indices", *s.MaxFailedIndexes, w.tasks)
			same(t, "parallelism", *s.Parallelism, w.parallel)
			same(t, "namespace", job.Namespace, w.namespace)
			same(t, "queue", job.Labels["kueue.x-k8s.io/queue-name"], w.queue)
			indexed(t, s)
			named(t, job)
			container := pod(t, &s.Template.Spec, w.user)
			limits := container.Resources.Limits
			same(t, "processors", limits.Cpu().String(), w.cpus)
			same(t, "memory", limits.Memory().Value(), w.memory) // 0: without a limit
			same(t, "requests", container.Resources.Requests, limits)
			same(t, "mount", container.VolumeMounts[0].MountPath, w.mount)
			command(t, container.Command, w.run)
		})
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// indexed holds a job to what keeps its tasks apart: each is tried again by itself, but not where
// that is of no use; pods that lost their node do not count; and never are there two of one task.
func indexed(t *testing.T, s *batch.JobSpec) {
	t.Helper()
	same(t, "mode", *s.CompletionMode, batch.IndexedCompletion)
	same(t, "tries", *s.BackoffLimitPerIndex, int32(3))
	same(t, "replacement", *s.PodReplacementPolicy, batch.Failed)
	hansa := "hansa"
	same(t, "policy", s.PodFailurePolicy.Rules, []batch.PodFailurePolicyRule{
		{Action: batch.PodFailurePolicyActionIgnore,
			OnPodConditions: []batch.PodFailurePolicyOnPodConditionsPattern{
				{Type: core.DisruptionTarget, Status: core.ConditionTrue}}},
		{Action: batch.PodFailurePolicyActionFailIndex,
			OnExitCodes: &batch.PodFailurePolicyOnExitCodesRequirement{ContainerName: &hansa,
				Operator: batch.PodFailurePolicyOnExitCodesOpIn, Values: []int32{65}}},
	})
}

// named holds the names of a job to what the API takes for one. A pod adds an index to its job's.
func named(t *testing.T, job *batch.Job) {
	t.Helper()
	for _, wrong := range validation.IsDNS1123Label(job.Name + "-99999") {
		t.Errorf("%s: %s", job.Name, wrong)
	}
	for key, value := range job.Labels {
		for _, wrong := range append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...) {
			t.Errorf("%s=%s: %s", key, value, wrong)
		}
	}
}

// pod holds pods to what a task needs, and returns their one container.
func pod(t *testing.T, s *core.PodSpec, user int64) *core.Container {
	t.Helper()
	same(t, "restarts", s.RestartPolicy, core.RestartPolicyNever)
	same(t, "seconds to save cells", *s.TerminationGracePeriodSeconds, int64(60))
	if c := s.SecurityContext; c != nil || user != 0 {
		same(t, "user", *c.RunAsUser, user)
	}
	if len(s.Containers) != 1 || len(s.Volumes) != 1 || len(s.Containers[0].VolumeMounts) != 1 {
		t.Fatalf("%d containers, %d volumes", len(s.Containers), len(s.Volumes))
	}
	c := &s.Containers[0]
	same(t, "container", c.Name, "hansa")
	same(t, "volume", c.VolumeMounts[0].Name, s.Volumes[0].Name)
	same(t, "claim", s.Volumes[0].PersistentVolumeClaim.ClaimName, "lab")
	same(t, "may be written to", c.VolumeMounts[0].ReadOnly, false)
	return c
}

// command holds the command line to the one that was exported. A pod makes one dollar of two, and
// a variable of $(NAME).
func command(t *testing.T, words []string, run string) {
	t.Helper()
	for i, word := range words {
		words[i] = strings.ReplaceAll(word, "$$", "\x00")
		if strings.Contains(words[i], "$(") {
			t.Errorf("%q: there is a variable in it", word)
		}
		words[i] = strings.ReplaceAll(words[i], "\x00", "$")
	}
	same(t, "command", words, []string{run + "/bin/0f/hansa", "task", "--run", run, "--submission",
		"20261122-070102-8f3a", "--index-env", "JOB_COMPLETION_INDEX"})
}

// The types see what is wrong with a manifest.
func TestDecodingIsStrict(t *testing.T) {
	good := text(t, "simple")
	for _, c := range [][2]string{
		{"completionMode:", "completionmode:"}, {"parallelism:", "parallelisms:"},
		{"completions: 12", "completions: twelve"}, {"batch/v1", "batch/v2"},
		{"completions: 12", "completions: 12\n  completions: 13"}, {`cpu: "1"`, `cpu: "one"`},
	} {
		if _, err := read(t, strings.Replace(good, c[0], c[1], 1)); err == nil {
			t.Errorf("%q for %q is taken", c[1], c[0])
		}
	}
}
