// Command act_runner is a stand-in for Gitea's, which is no package: `act_runner daemon` reads `.runner` in its directory, takes
// one task as an ephemeral runner does, runs its `run:` steps in a shell, reports their output, and ends. It tells the test
// when something ends it in the middle of a task. It is in Go because the real one is, and starts as quickly.
//
// See https://gitea.com/gitea/act_runner/src/branch/main/internal/pkg/config/registration.go and
// https://gitea.com/gitea/actions-proto-def
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"
)

const (
	pause      = 200 * time.Millisecond
	patience   = 60 * time.Second
	retryPause = 500 * time.Millisecond
)

// registration is the file `.runner`: the runner's connection to its CI system.
type registration struct {
	UUID    string   `json:"uuid"`
	Token   string   `json:"token"`
	Address string   `json:"address"`
	Labels  []string `json:"labels"`
}

type task struct {
	ID              string `json:"id"`
	WorkflowPayload []byte `json:"workflowPayload"`
}

type workflow struct {
	Jobs map[string]struct {
		Steps []struct {
			Run string `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// refusal is Gitea's error when it no longer knows the runner.
type refusal struct{ message string }

func (r refusal) Error() string { return r.message }

func main() {
	if len(os.Args) != 2 || os.Args[1] != "daemon" {
		fmt.Fprintf(os.Stderr, "act_runner: this stand-in knows \"daemon\" only, not %q\n", strings.Join(os.Args[1:], " "))
		os.Exit(2)
	}
	var runner registration
	if text, err := os.ReadFile(".runner"); err != nil {
		fail(err)
	} else if err := json.Unmarshal(text, &runner); err != nil {
		fail(err)
	}
	for index, label := range runner.Labels {
		runner.Labels[index], _, _ = strings.Cut(label, ":")
	}
	var current atomic.Pointer[string]
	go tellWhenEnded(&current)
	end, err := runner.runOneTask(&current)
	if refused, is := err.(refusal); is {
		print(map[string]any{"refused": refused.message})
		os.Exit(1)
	} else if err != nil {
		fail(err)
	}
	print(end)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func print(end map[string]any) {
	text, _ := json.Marshal(end)
	fmt.Printf("%s\n", text)
}

func tellWhenEnded(current *atomic.Pointer[string]) {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	<-ended
	if task, kills := current.Load(), os.Getenv("TEST_KILLS_URL"); task != nil && kills != "" {
		body, _ := json.Marshal(map[string]string{"task": *task, "agent": os.Getenv("DAVIT_AGENT_NAME")})
		if response, err := http.Post(kills, "application/json", bytes.NewReader(body)); err == nil {
			response.Body.Close()
		}
	}
	os.Exit(143)
}

// runOneTask asks for one task and runs it. current has the task's id from its first step to its last.
func (r registration) runOneTask(current *atomic.Pointer[string]) (map[string]any, error) {
	// Gitea forgets labels that a runner does not declare.
	if err := r.call("Declare", map[string]any{"version": "davit-test", "labels": r.Labels}, nil); err != nil {
		return nil, err
	}
	version := "0"
	for {
		fetched := struct {
			TasksVersion string `json:"tasksVersion"`
			Task         *task  `json:"task"`
		}{TasksVersion: "0"}
		if err := r.call("FetchTask", map[string]any{"tasksVersion": version}, &fetched); err != nil {
			return nil, err
		}
		version = fetched.TasksVersion
		if fetched.Task != nil {
			return r.runTask(*fetched.Task, current)
		}
		time.Sleep(pause)
	}
}

func (r registration) runTask(task task, current *atomic.Pointer[string]) (map[string]any, error) {
	current.Store(&task.ID)
	var of workflow
	if err := yaml.Unmarshal(task.WorkflowPayload, &of); err != nil {
		return nil, err
	}
	startedAt := now()
	started := map[string]any{"id": task.ID, "startedAt": startedAt, "steps": []any{}}
	if err := r.call("UpdateTask", map[string]any{"state": started}, nil); err != nil {
		return nil, err
	}
	succeeded := true
	var rows []any
	for _, job := range of.Jobs {
		for _, step := range job.Steps {
			script := step.Run
			if script == "" {
				script = "true"
			}
			output, err := exec.Command("sh", "-ec", script).CombinedOutput()
			rows = append(rows, map[string]string{"time": now(), "content": strings.TrimSpace(string(output))})
			succeeded = succeeded && err == nil
		}
	}
	// From here on, the CI system may learn of the end at any moment, and have the agent ended.
	current.Store(nil)
	log := map[string]any{"taskId": task.ID, "index": "0", "rows": rows, "noMore": true}
	if err := r.call("UpdateLog", log, nil); err != nil {
		return nil, err
	}
	result := "RESULT_SUCCESS"
	if !succeeded {
		result = "RESULT_FAILURE"
	}
	stoppedAt := now()
	steps := []any{}
	for index := range rows {
		at := strconv.Itoa(index)
		steps = append(steps, map[string]any{
			"id": at, "result": result, "startedAt": startedAt, "stoppedAt": stoppedAt, "logIndex": at, "logLength": "1",
		})
	}
	state := map[string]any{"id": task.ID, "result": result, "startedAt": startedAt, "stoppedAt": stoppedAt, "steps": steps}
	if err := r.call("UpdateTask", map[string]any{"state": state}, nil); err != nil {
		return nil, err
	}
	return map[string]any{"task": task.ID, "succeeded": succeeded}, nil
}

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

// call repeats while Gitea is away for a moment or answers with a fault, as act_runner does.
func (r registration) call(method string, body, answer any) error {
	for until := time.Now().Add(patience); ; time.Sleep(retryPause) {
		err := r.callOnce(method, body, answer)
		if _, is := err.(refusal); err == nil || is || time.Now().After(until) {
			return err
		}
	}
}

func (r registration) callOnce(method string, body, answer any) error {
	sent, err := json.Marshal(body)
	if err != nil {
		return err
	}
	url := fmt.Sprintf("%s/api/actions/runner.v1.RunnerService/%s", r.Address, method)
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(sent))
	if err != nil {
		return err
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "X-Runner-Uuid": {r.UUID}, "X-Runner-Token": {r.Token},
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	// Gitea wraps its own error in a status 500.
	if strings.Contains(string(text), "unregistered runner") {
		return refusal{string(text)}
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %d %s", method, response.StatusCode, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}
