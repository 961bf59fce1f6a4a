package local

import "github.com/hansa-fl/hansa/framework/fl"

// newAugmentation declares how a client changes images that it trains on: as He et al., CVPR 2016,
// Section 4.2, have it, and T. DeVries, G. W. Taylor. Improved Regularization of Convolutional
// Neural Networks with Cutout. arXiv:1708.04552, 2017. Test samples never change.
func newAugmentation(p *fl.Params) fl.Augmentation {
	a := fl.Augmentation{
		Crop: p.Int("crop", 0, fl.Closed(0, 1024), "images: pixels of zeros around one, out of "+
			"which one of its size is cropped at random"),
		Flip: p.Bool("flip", false, "images: left and right change places in half of all cases"),
		Cutout: p.Int("cutout", 0, fl.Closed(0, 4096), "images: side of a square around any pixel "+
			"that is set to zero"),
	}
	for _, name := range []string{"crop", "flip", "cutout"} {
		p.Later(name)
		s := p.Setting()
		if p.Given(name) && a.Active() && s.Known() && s.Shape.Image == (fl.Image{}) {
			p.Fail(name, "changes images, and the rows of these data are none")
		}
	}
	return a
}
