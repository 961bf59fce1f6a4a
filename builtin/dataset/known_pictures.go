package dataset

import "github.com/hansa-fl/hansa/framework/data"

// knownPictures returns published data sets of pictures. Their checksums are those of the list of
// TensorFlow Datasets.
func knownPictures() []data.Set {
	return []data.Set{cifar100Files(), emnistFiles(), stl10Files(), svhnFiles()}
}

func cifar100Files() data.Set {
	return data.Set{
		Name:    "cifar100",
		Aliases: []string{"cifar-100", "cifar-100-binary"},
		Licence: "none stated, the authors ask to be cited",
		Page:    "https://www.cs.toronto.edu/~kriz/cifar.html",
		Files: at("https://www.cs.toronto.edu/~kriz/",
			data.File{Name: "cifar-100-binary.tar.gz", Size: 168_513_733,
				SHA256: "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec"}),
	}
}

func emnistFiles() data.Set {
	return data.Set{
		Name:    "emnist",
		Licence: "none stated, by the US National Institute of Standards and Technology",
		Page:    "https://www.nist.gov/itl/products-and-services/emnist-dataset",
		Files: at("https://biometrics.nist.gov/cs_links/EMNIST/",
			data.File{Name: "gzip.zip", Size: 561_753_746,
				SHA256: "fb9bb67e33772a9cc0b895e4ecf36d2cf35be8b709693c3564cea2a019fcda8e"}),
	}
}

func stl10Files() data.Set {
	return data.Set{
		Name:    "stl10",
		Aliases: []string{"stl-10", "stl10_binary"},
		Licence: "none stated, the authors ask to be cited",
		Page:    "https://cs.stanford.edu/~acoates/stl10/",
		Files: at("http://ai.stanford.edu/~acoates/stl10/",
			data.File{Name: "stl10_binary.tar.gz", Size: 2_640_397_119,
				SHA256: "f31fd99273a1acb8609c8db427cebb1de3f71de77758cdc0e22956e1289b9866"}),
	}
}

func svhnFiles() data.Set {
	return data.Set{
		Name:    "svhn",
		Licence: "for non-commercial use only, as its page says",
		Page:    "http://ufldl.stanford.edu/housenumbers/",
		Files: at("http://ufldl.stanford.edu/housenumbers/",
			data.File{Name: "train_32x32.mat", Size: 182_040_794,
				SHA256: "435e94d69a87fde4fd4d7f3dd208dfc32cb6ae8af2240d066de1df7508d083b8"},
			data.File{Name: "test_32x32.mat", Size: 64_275_384,
				SHA256: "cdce80dfb2a2c4c6160906d0bd7c68ec5a99d7ca4831afa54f09182025b6a75b"},
			data.File{Name: "extra_32x32.mat", Size: 1_329_278_602,
				SHA256: "a133a4beb38a00fcdda90c9489e0c04f900b660ce8a316a5e854838379a71eb3"}),
	}
}
