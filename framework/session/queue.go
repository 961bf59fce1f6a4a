package session

import (
	"context"
	"slices"

	"github.com/hansa-fl/hansa/framework/launch/clusters"
	"github.com/hansa-fl/hansa/framework/store"
)

// Queue finds out which submissions are not over: those with tasks that wait or run, which it
// counts, and those of engines that cannot be asked where a cell has no result. It returns nil
// where that is not known.
func (s *Session) Queue(ctx context.Context, run store.Run, plan *store.Plan) (
	queue *store.Queue, waiting int, err error,
) {
	u, err := s.RunState(ctx, run, plan)
	if err != nil || len(u.Submissions) == 0 && u.Unread == nil {
		return nil, 0, err
	}
	const kept = "hansa: submissions and their programs are kept: "
	switch {
	case u.Unread != nil:
		s.Sayf(kept + "not all of them can be read")
		return nil, 0, nil
	case u.Unknown != nil:
		s.Sayf(kept+"what is in the queue is not known: %v", u.Unknown)
		return nil, 0, nil
	}
	queue = new(store.Queue)
	done := map[string]bool{}
	for i, id := range u.IDs {
		done[id] = u.Cells[i].State == StateDone
	}
	for _, sub := range u.Submissions {
		open := slices.ContainsFunc(slices.Concat(sub.Tasks...),
			func(id string) bool { return !done[id] })
		tasks := u.Queued[sub.Name]
		waiting += tasks
		if tasks > 0 || open && clusters.Named(sub.Engine) == nil {
			queue.Submissions = append(queue.Submissions, sub.Name)
			queue.Programs = append(queue.Programs, sub.Program)
		}
	}
	return queue, waiting, nil
}
