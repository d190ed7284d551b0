package main

import (
	"context"
	"fmt"
	"os/exec"
	"sync"
	"syscall"

	"github.com/GoCodeAlone/workflow/interfaces"
	pb "github.com/GoCodeAlone/workflow/plugin/external/proto"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

type job struct {
	mutex   sync.Mutex
	changed *sync.Cond
	command *exec.Cmd
	chunks  []*pb.LogChunk
	state   pb.JobState
	code    int32
}

func (p *provider) RunJob(_ context.Context, spec *pb.JobSpec) (*pb.JobHandle, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if _, there := p.jobs[spec.Name]; there {
		return nil, status.Errorf(codes.AlreadyExists, "%s: %q", interfaces.ErrResourceAlreadyExists, spec.Name)
	}
	command := exec.Command("/bin/sh", "-c", spec.RunCommand)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	for name, value := range spec.EnvVars {
		command.Env = append(command.Env, name+"="+value)
	}
	for name, reference := range spec.EnvVarsSecret {
		command.Env = append(command.Env, name+"=plaintext of "+reference)
	}
	started := &job{command: command, state: pb.JobState_JOB_STATE_RUNNING}
	started.changed = sync.NewCond(&started.mutex)
	command.Stdout, command.Stderr = sink{started, "stdout"}, sink{started, "stderr"}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p.jobs[spec.Name] = started
	go started.await()
	return &pb.JobHandle{Id: "job-" + spec.Name, Name: spec.Name, Provider: "memory", Metadata: map[string]string{"kind": spec.Kind}}, nil
}

type sink struct {
	job    *job
	source string
}

func (s sink) Write(bytes []byte) (int, error) {
	s.job.mutex.Lock()
	defer s.job.mutex.Unlock()
	s.job.chunks = append(s.job.chunks, &pb.LogChunk{Data: append([]byte(nil), bytes...), Source: s.source})
	s.job.changed.Broadcast()
	return len(bytes), nil
}

func (j *job) await() {
	_ = j.command.Wait()
	j.mutex.Lock()
	defer j.mutex.Unlock()
	j.code = int32(j.command.ProcessState.ExitCode())
	switch {
	case j.state == pb.JobState_JOB_STATE_CANCELLED:
	case j.code == 0:
		j.state = pb.JobState_JOB_STATE_SUCCEEDED
	default:
		j.state = pb.JobState_JOB_STATE_FAILED
	}
	j.command = nil
	j.changed.Broadcast()
}

func (p *provider) job(handle *pb.JobHandle) (*job, error) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if found, there := p.jobs[handle.Name]; there {
		return found, nil
	}
	return nil, fmt.Errorf("memory: job %q: %w", handle.Name, interfaces.ErrResourceNotFound)
}

func (p *provider) JobStatus(_ context.Context, handle *pb.JobHandle) (*pb.JobStatusReply, error) {
	found, err := p.job(handle)
	if err != nil {
		return nil, err
	}
	found.mutex.Lock()
	defer found.mutex.Unlock()
	state := found.state
	if found.command != nil {
		// Cancelled is said when it is gone, not when it was asked to go.
		state = pb.JobState_JOB_STATE_RUNNING
	}
	return &pb.JobStatusReply{Handle: handle, State: state, ExitCode: found.code}, nil
}

func (p *provider) JobLogs(handle *pb.JobHandle, stream grpc.ServerStreamingServer[pb.LogChunk]) error {
	found, err := p.job(handle)
	if err != nil {
		return err
	}
	for next := 0; ; next++ {
		found.mutex.Lock()
		for next == len(found.chunks) && found.command != nil {
			found.changed.Wait()
		}
		if next == len(found.chunks) {
			found.mutex.Unlock()
			return stream.Send(&pb.LogChunk{Eof: true})
		}
		chunk := found.chunks[next]
		found.mutex.Unlock()
		if err := stream.Send(chunk); err != nil {
			return err
		}
	}
}

func (p *provider) cancelJob(handle *pb.JobHandle) error {
	found, err := p.job(handle)
	if err != nil {
		return err
	}
	found.mutex.Lock()
	defer found.mutex.Unlock()
	if found.command == nil {
		return nil
	}
	found.state = pb.JobState_JOB_STATE_CANCELLED
	return syscall.Kill(-found.command.Process.Pid, syscall.SIGKILL)
}
