package dataset

import (
	"slices"

	"github.com/hansa-fl/hansa/framework/data"
)

// Known returns the data sets whose files are known to the byte.
func Known() []data.Set { return append(known(), knownPictures()...) }

// known returns the first of them, by name.
func known() []data.Set {
	return []data.Set{
		a9aFiles(), adultFiles(), cifar10Files(), digitsDomainsFiles(), fashionMNISTFiles(),
		mnistFiles(), officeCaltech10Files(), shakespeareFiles(), uspsFiles(),
	}
}

func mnistFiles() data.Set {
	return data.Set{
		Name:    "mnist",
		Aliases: []string{"MNIST/raw"}, // of torchvision
		Licence: "none stated, commonly given as CC BY-SA 3.0",
		Page:    "http://yann.lecun.com/exdb/mnist/",
		Files: at("https://ossci-datasets.s3.amazonaws.com/mnist/",
			data.File{Name: "train-images-idx3-ubyte.gz", Size: 9_912_422,
				SHA256:  "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
				Content: "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
			data.File{Name: "train-labels-idx1-ubyte.gz", Size: 28_881,
				SHA256:  "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
				Content: "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
			data.File{Name: "t10k-images-idx3-ubyte.gz", Size: 1_648_877,
				SHA256:  "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
				Content: "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
			data.File{Name: "t10k-labels-idx1-ubyte.gz", Size: 4_542,
				SHA256:  "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
				Content: "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"}),
	}
}

func fashionMNISTFiles() data.Set {
	return data.Set{
		Name:    "fashion-mnist",
		Aliases: []string{"FashionMNIST/raw"}, // of torchvision
		Package: "dataset-fashion-mnist",
		Licence: "MIT",
		Page:    "https://github.com/zalandoresearch/fashion-mnist",
		Files: at("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",
			data.File{Name: "train-images-idx3-ubyte.gz", Size: 26_421_880,
				SHA256:  "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
				Content: "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"},
			data.File{Name: "train-labels-idx1-ubyte.gz", Size: 29_515,
				SHA256:  "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
				Content: "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"},
			data.File{Name: "t10k-images-idx3-ubyte.gz", Size: 4_422_102,
				SHA256:  "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
				Content: "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"},
			data.File{Name: "t10k-labels-idx1-ubyte.gz", Size: 5_148,
				SHA256:  "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
				Content: "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"}),
	}
}

// uspsFiles have no address: the digits are published as text, in values that these files
// hold rounded to bytes.
func uspsFiles() data.Set {
	return data.Set{
		Name:    "usps",
		Licence: "none stated, common copies are given as CC0",
		Page:    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/multiclass.html#usps",
		Files: []data.File{
			{Name: "usps-train-images.idx3-ubyte.gz", Size: 849_165,
				SHA256: "d93c2d96c872ca9a87d539975e1de9ba1bb42e9caee5f39a5438c315d5054509"},
			{Name: "usps-train-labels.idx1-ubyte.gz", Size: 3_429,
				SHA256: "b8577876ee5da3289c5dd6c30f21ceed01a7df7f2b23b19affc167880ebb2ddf"},
			{Name: "usps-test-images.idx3-ubyte.gz", Size: 235_987,
				SHA256: "9f7be56a85cc6b99d3010305cdd01b7fba4de11db70e39a71968d08716e97ca1"},
			{Name: "usps-test-labels.idx1-ubyte.gz", Size: 979,
				SHA256: "1955b0a729c700a7a55d4b36dd0a2e55a300d59868da0398d90ec08f09f806cb"},
		},
	}
}

// shakespeareFiles have no address: the text is published unpacked.
func shakespeareFiles() data.Set {
	return data.Set{
		Name:    "shakespeare",
		Aliases: []string{"tinyshakespeare"},
		Licence: "the plays are in the public domain, the repository is under MIT",
		Page:    "https://github.com/karpathy/char-rnn/tree/master/data/tinyshakespeare",
		Files: []data.File{
			{Name: "input.txt.gz", Size: 433_884,
				SHA256:  "13125fe8f49092165d7d489e3944db52d1ba546e64a60080cc9523bcd0c5e46a",
				Content: "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"},
		},
	}
}

// a9aFiles have no address: the rows are published unpacked, with a blank at the end of every
// line.
func a9aFiles() data.Set {
	return data.Set{
		Name:    "a9a",
		Licence: "CC BY 4.0, as UCI gives Adult",
		Page:    "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary.html#a9a",
		Files: []data.File{
			{Name: "a9a.gz", Size: 196_455,
				SHA256: "2a66595cdac07f65d5e8a8d223dfe4ab003ebbcc7e3a0b9fe588c2657b8d6c4e"},
			{Name: "a9a.t.gz", Size: 98_648,
				SHA256: "3cc3668c2cbb3fbc172f2bade718c4f6678b76123eca97e0c4e15c78ba5312e3"},
		},
	}
}

// adultFiles have no address: the rows are published unpacked, and without a header.
func adultFiles() data.Set {
	return data.Set{
		Name:    "adult",
		Aliases: []string{"adult-raw"},
		Licence: "CC BY 4.0, as UCI gives it",
		Page:    "https://archive.ics.uci.edu/dataset/2/adult",
		Files: []data.File{
			{Name: "adult.csv.gz", Size: 406_106,
				SHA256: "41ddec9f9b19d95d65d1095b2eb4f810cc26a9335bd603520f9330f55dbb7210"},
		},
	}
}

func cifar10Files() data.Set {
	return data.Set{
		Name:    "cifar10",
		Aliases: []string{"cifar-10", "cifar-10-batches-bin"},
		Licence: "none stated, the authors ask to be cited",
		Page:    "https://www.cs.toronto.edu/~kriz/cifar.html",
		Files: at("https://www.cs.toronto.edu/~kriz/",
			data.File{Name: "cifar-10-binary.tar.gz", Size: 170_052_171,
				SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"}),
		Parts: []data.File{
			{Name: "data_batch_1.bin", Size: 30_730_000,
				SHA256: "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5"},
			{Name: "data_batch_2.bin", Size: 30_730_000,
				SHA256: "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed"},
			{Name: "data_batch_3.bin", Size: 30_730_000,
				SHA256: "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67"},
			{Name: "data_batch_4.bin", Size: 30_730_000,
				SHA256: "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48"},
			{Name: "data_batch_5.bin", Size: 30_730_000,
				SHA256: "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add"},
			{Name: "test_batch.bin", Size: 30_730_000,
				SHA256: "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b"},
		},
	}
}

// at returns files that lie at one address, under their names.
func at(address string, files ...data.File) []data.File {
	files = slices.Clone(files)
	for i := range files {
		files[i].URL = address + files[i].Name
	}
	return files
}
