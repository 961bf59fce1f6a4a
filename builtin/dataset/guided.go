package dataset

import "github.com/hansa-fl/hansa/framework/data"

// Guided returns data sets that entries read and whose files are not known to the byte: they are
// made by a program, or no checksum of them is published. Each says how to get it.
func Guided() []data.Set {
	return []data.Set{
		{
			Name:    "celeba",
			Licence: "for non-commercial research only, as its page says",
			Page:    "https://mmlab.ie.cuhk.edu.hk/projects/CelebA.html",
			Guide: "download img_align_celeba.zip, identity_CelebA.txt and list_attr_celeba.txt " +
				"from the page, and unpack them in a folder celeba",
		},
		{
			Name:    "leaf",
			Licence: "BSD 2-Clause for its programs; of the data none is stated",
			Page:    "https://leaf.cmu.edu",
			Guide: "run preprocess.sh of femnist, shakespeare, sent140 or synthetic in its " +
				"repository, TalwalkarLab/leaf: it writes train and test, folders of .json " +
				"files; synthetic-leaf needs no files",
		},
		{
			Name:    "parquet",
			Licence: "as each data set of the hub states",
			Page:    "https://huggingface.co/datasets",
			Guide: "download the .parquet files of a data set, such as flwrlabs/femnist with " +
				"the owners writer_id, and name them by train_files and test_files",
		},
		{
			Name:    "tiny-imagenet",
			Licence: "none stated; pictures are of ImageNet, for non-commercial research",
			Page:    "http://cs231n.stanford.edu/tiny-imagenet-200.zip",
			Guide:   "download and unpack tiny-imagenet-200.zip, of which the folder is read",
		},
	}
}
