package builtin

// alignmentPapers are those of preprocessors that align clients beside the papers that hansa
// reproduces.
func alignmentPapers() map[string]string {
	return map[string]string{
		"delon2020": "J. Delon, A. Desolneux. A Wasserstein-Type Distance in the Space of " +
			"Gaussian Mixture Models. SIAM Journal on Imaging Sciences 13, 2020.",
		"pitie2007": "F. Pitié, A. C. Kokaram, R. Dahyot. Automated Colour Grading Using Colour " +
			"Distribution Transfer. Computer Vision and Image Understanding 107, 2007.",
		"reinhard2001": "E. Reinhard, M. Ashikhmin, B. Gooch, P. Shirley. Color Transfer between " +
			"Images. IEEE Computer Graphics and Applications 21(5), 2001.",
	}
}
