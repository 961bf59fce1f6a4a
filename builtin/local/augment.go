package local

import "github.com/hansa-fl/hansa/framework/fl"

// newAugmentation declares how a client changes what it trains on: images as He et al., CVPR 2016,
// Section 4.2, have it, and T. DeVries, G. W. Taylor. Improved Regularization of Convolutional
// Neural Networks with Cutout. arXiv:1708.04552, 2017; and any rows as H. Zhang, M. Cisse,
// Y. N. Dauphin, D. Lopez-Paz. mixup: Beyond Empirical Risk Minimization. ICLR 2018. Test samples
// never change.
func newAugmentation(p *fl.Params) fl.Augmentation {
	a := fl.Augmentation{
		Crop: p.Int("crop", 0, fl.Closed(0, 1024), "images: pixels of zeros around one, out of "+
			"which one of its size is cropped at random"),
		Flip: p.Bool("flip", false, "images: left and right change places in half of all cases"),
		Cutout: p.Int("cutout", 0, fl.Closed(0, 4096), "images: side of a square around any pixel "+
			"that is set to zero"),
		Mixup: p.Float("mixup", 0, fl.Closed(0, 4), "α: rows of a batch are mixed with each "+
			"other, and their labels, by a share from Beta(α, α); 0: they are not"),
	}
	p.Later("mixup")
	if s := p.Setting(); a.Mixup > 0 && p.Given("mixup") && s.Known() {
		switch {
		case a.Mixup < 1e-3:
			p.Fail("mixup", "%g is so small that nothing is mixed, which 0 says", a.Mixup)
		case s.Shape.Classes == 0 || s.Shape.PerRow() > 1 || s.Shape.Tokens > 0:
			p.Fail("mixup", "mixes rows of numbers that have one label each; these are others")
		case !s.SoftTargets():
			p.Fail("mixup", "needs a network or model = \"softmax\": other models take no soft "+
				"targets")
		}
	}
	images := a
	images.Mixup = 0
	for _, name := range []string{"crop", "flip", "cutout"} {
		p.Later(name)
		s := p.Setting()
		if p.Given(name) && images.Active() && s.Known() && s.Shape.Image == (fl.Image{}) {
			p.Fail(name, "changes images, and the rows of these data are none")
		}
	}
	return a
}

// refuseMixup is for rules whose loss has no meaning for mixed rows.
func refuseMixup(p *fl.Params, w *work, why string) {
	if w.augment.Mixup > 0 {
		p.Fail("mixup", "%s", why)
	}
}
