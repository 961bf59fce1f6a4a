package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/hansa-fl/hansa/framework/session/view"
)

// JoinText says how a method of the user's joins a leaderboard.
func JoinText() string {
	tasks, sizes := view.BoardTasks()
	return "With --with mine.go --task NAME a method of your own joins the leaderboard of a " +
		"task: " + strings.Join(tasks, ", ") + ", each in a size (" + strings.Join(sizes, ", ") +
		"). Its parameters are chosen and it is run as all others are, in the same conditions. " +
		"What is stored of the task in ./runs is not run again, and of the other methods nothing " +
		"is run where RUN has them, such as a file of records. A table shows where the method " +
		"stands: its rank in each condition, with a confidence set; -o writes the site, too. " +
		"Outside of a checkout of hansa the experiment file of the task is written into the " +
		"current folder. A strategy that fails costs its own training runs only. The flags that " +
		"say how it runs are those of hansa run."
}

// JoinFlags adds the flags that say which leaderboard a method joins.
func JoinFlags(cmd *cobra.Command, task, size *string) {
	tasks, sizes := view.BoardTasks()
	cmd.Flags().StringVar(task, "task", "", "`NAME` of the task whose leaderboard --with joins: "+
		strings.Join(tasks, ", "))
	cmd.Flags().StringVar(size, "size", "", "`SIZE` of the task: "+strings.Join(sizes, ", ")+
		" (default its smallest one)")
	CompleteFlag(cmd, "task", tasks...)
	CompleteFlag(cmd, "size", sizes...)
}

// joining are flags that say how a method is run that joins a leaderboard.
var joining = []string{"size", "set", "seeds", "only", "jobs", "unexamined", "call-timeout",
	"cell-timeout", "memory", "isolation", "strategies"}

// JoinsOnly reports whether a command was given a flag that makes sense only where a method joins.
func JoinsOnly(cmd *cobra.Command) bool {
	for _, name := range joining {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}
