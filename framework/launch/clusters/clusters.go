// Package clusters lists the clusters to which hansa speaks, and reads how a site wants them to be
// asked. A new one is a package that implements launch.Cluster, and a line in the table.
package clusters

import (
	"github.com/hansa-fl/hansa/framework/launch"
	"github.com/hansa-fl/hansa/framework/launch/slurm"
)

// table has a line for every cluster.
var table = []launch.Cluster{
	new(slurm.Cluster),
}

// Names returns the names of all clusters.
func Names() (names []string) {
	for _, c := range table {
		names = append(names, c.About().Name)
	}
	return names
}

// Named returns the cluster of a name, or nil: submissions name engines, too, that cannot be asked.
func Named(name string) launch.Cluster {
	for _, c := range table {
		if c.About().Name == name {
			return c
		}
	}
	return nil
}

// Each calls do with every cluster that has some names, until there is an error. Names are by
// cluster; those of engines that cannot be asked are passed over.
func Each(names map[string][]string, do func(c launch.Cluster, names []string) error) error {
	for _, c := range table {
		if some := names[c.About().Name]; len(some) > 0 {
			if err := do(c, some); err != nil {
				return err
			}
		}
	}
	return nil
}

// Here returns the cluster that has started this process, or nil, and what that says of it.
func Here() (launch.Cluster, launch.Self) {
	for _, c := range table {
		if s, ok := c.Self(); ok {
			return c, s
		}
	}
	return nil, launch.Self{Index: -1}
}

// Variables returns the variables of the environment that say which task a process is.
func Variables() (names []string) {
	for _, c := range table {
		names = append(names, c.About().Variables...)
	}
	return names
}
