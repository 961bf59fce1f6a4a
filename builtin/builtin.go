// Package builtin holds everything an experiment file can name out of the box.
package builtin

import (
	"errors"

	"github.com/hansa-fl/hansa/builtin/aggregator"
	"github.com/hansa-fl/hansa/builtin/availability"
	"github.com/hansa-fl/hansa/builtin/dataset"
	"github.com/hansa-fl/hansa/builtin/enrollment"
	"github.com/hansa-fl/hansa/builtin/importance"
	"github.com/hansa-fl/hansa/builtin/local"
	"github.com/hansa-fl/hansa/builtin/metric"
	"github.com/hansa-fl/hansa/builtin/model"
	"github.com/hansa-fl/hansa/builtin/optimizer"
	"github.com/hansa-fl/hansa/builtin/partition"
	"github.com/hansa-fl/hansa/builtin/preprocess"
	"github.com/hansa-fl/hansa/builtin/selection"
	"github.com/hansa-fl/hansa/registry"
)

// Register adds everything built in. This list is the whole menu: nothing is registered
// by being imported.
func Register(r *registry.Registry) error {
	return errors.Join(data(r), partitions(r), goals(r), methods(r), servers(r), fairness(r),
		adversaries(r),
		robustRules(r), participation(r), completions(r), asynchronous(r), compressors(r),
		guards(r), selections(r), private(r), sequences(r))
}

// data are data sets and preprocessors.
func data(r *registry.Registry) error {
	return errors.Join(
		r.Sources.Add(
			dataset.Regression,         // every client with features and a relation of its own
			dataset.GaussianDomains,    // Gaussian classes, an affine map per domain
			dataset.SyntheticLEAF,      // logistic regression, different by client
			dataset.PopulationLogistic, // logistic regression with covariates of clients
			dataset.Quadratics,         // a parabola for every client
			dataset.MakeRegression,     // scikit-learn's, as the FedAVOT authors use it
			dataset.MNIST,              // the four original files
			dataset.FashionMNIST,       // the four original files
			dataset.USPS,               // digits of 16×16 pixels
			dataset.CIFAR10,            // the original archive, or parts of it
			dataset.CIFAR100,           // the original archive, or its parts
			dataset.SVHN,               // digits of house numbers
			dataset.EMNIST,             // handwritten letters and digits
			dataset.STL10,              // pictures of 96×96 pixels
			dataset.A9A,                // people by yes-or-no features, with covariates
			dataset.Adult,              // the same by their work, schooling and origin
			dataset.IDX,                // any files of MNIST's format
			dataset.CIFARFiles,         // any files of CIFAR's format
			dataset.Images,             // a folder per class
			dataset.ImageDomains,       // a folder per domain and class
			dataset.TinyImageNet,       // its folders
			dataset.CelebA,             // its folder and lists
			dataset.WebDataset,         // tar files of that format
			dataset.Parquet,            // files as on the Hugging Face hub
			dataset.LEAF,               // JSON files of that benchmark
			dataset.LIBSVM,             // any files of that library's format
			dataset.CSV,                // any tables with a header
			dataset.OfficeCaltech10,    // objects in four domains, as features
			dataset.DigitsDomains,      // digits in four domains, as features or images
			dataset.Features,           // any arrays that NumPy saves
			dataset.Glyphs,             // digits drawn on the fly, in several domains
			dataset.ColourCast,         // any images, in colours of each client's own
			dataset.FeatureNoise,       // any rows, with noise of each client's own level
			dataset.Rotated,            // any images, turned by cluster of clients
			dataset.PermutedLabels,     // any classes, with labels of each cluster's own
		),
		r.Preprocessors.Add(
			preprocess.Standardize,        // mean 0 and variance 1
			preprocess.PCA,                // directions of most variance
			preprocess.ClipNorm,           // rows no longer than a radius
			preprocess.Encode,             // features of images by a frozen encoder
			preprocess.SLOTAlign,          // one Gaussian for all clients' features
			preprocess.SLOTAlignLabelled,  // with labels: for comparison
			preprocess.SLOTAlignPseudo,    // by class, with pseudo-labels
			preprocess.SLOTAlignValidated, // each client by the share that validation prefers
			preprocess.MixtureAlign,       // one Gaussian mixture for all clients' features
			preprocess.CORAL,              // the mean covariance for all clients' features
			preprocess.Whiten,             // covariance I for every client's features
			preprocess.ChannelBarycenter,  // common colours of images
			preprocess.SlicedTransport,    // common quantiles of colours, along several directions
			preprocess.Reinhard,           // common means and deviations of colours
		),
	)
}

// partitions are partitions of rows among clients.
func partitions(r *registry.Registry) error {
	return r.Partitioners.Add(
		partition.Natural,           // as the rows come
		partition.IID,               // shuffled and cut
		partition.Dirichlet,         // the three kinds that are all called Dir(α)
		partition.Shards,            // sorted by label and cut
		partition.Labels,            // k labels each
		partition.Domains,           // one domain each, on request with shifted labels
		partition.Quantity,          // different numbers of rows
		partition.ExtendedDirichlet, // k labels each, in different shares
		partition.Pachinko,          // groups of classes, and classes of groups
	)
}

// goals are importances and metrics.
func goals(r *registry.Registry) error {
	return errors.Join(
		r.Importances.Add(
			importance.Uniform,     // 1/N
			importance.Samples,     // nᵢ/n
			importance.Linear,      // N + 1 − i, or i
			importance.Exponential, // exp(−i/scale)
			importance.Power,       // (N + 1 − i)^e
			importance.List,        // as written
		),
		r.Metrics.Add(
			metric.Objective,     // F(θ)
			metric.Suboptimality, // F(θ) − F(θ*)
			metric.Distance,      // ‖θ − θ*‖
			metric.Loss,          // on test data
			metric.Accuracy,      // on test data
			metric.Clients,       // mean, worst, spread over clients
			metric.Gain,          // over local training alone
			metric.Groups,        // the same over groups of clients
			metric.Risk,          // the worst share of clients, or the worst group, as an objective
			metric.Residual,      // of weights that should correct participation
			metric.Upload,        // floats
			metric.VirtualTime,   // hours of rounds
			metric.Download,      // floats
			metric.Selection,     // range of the objective under hidden selection
			metric.Observed,      // any number of a footnote
			metric.Seconds,       // wall clock
		),
	)
}

// methods are models, local rules, optimizers, and participation.
func methods(r *registry.Registry) error {
	return errors.Join(
		models(r),
		r.LocalRules.Add(
			local.SGD,          // gradient descent, full or in batches, by any optimizer
			local.FedProx,      // with a proximal term
			local.Scaffold,     // corrected by control variates
			local.FedDyn,       // with a dynamic regulariser
			local.MOON,         // with a contrast of models by features
			local.FedNova,      // with momentum or a proximal term, and its length
			local.FedCM,        // with the mean step of the round before
			local.MimeLite,     // with the server's momentum
			local.FedSAM,       // by gradients at the sharpest point nearby
			local.Scaffnew,     // a random number of corrected steps
			local.FedProto,     // with a distance of features to prototypes
			local.StaticBN,     // statistics of batch norms in the last round
			local.CCVR,         // moments of features in the last round
			local.Fisher,       // the Fisher information of the result
			local.RegMean,      // Gram matrices of what enters dense layers
			local.FedMA,        // layers above those that are matched
			local.ValidatedSGD, // the same at several rates, to choose from by validation
			local.ClassMoments, // moments of features by class
			local.ClassMixture, // Gaussian mixtures of features by class
		),
		personalised(r),
		r.Optimizers.Add(
			optimizer.SGD,   // plain, heavy-ball or Nesterov
			optimizer.Adam,  // the usual one
			optimizer.AdamW, // with decoupled weight decay
		),
		r.Enrollments.Add(
			enrollment.Everyone, // the whole population
			enrollment.Logistic, // by what is known of clients
			enrollment.List,     // as written
		),
		r.Availability.Add(
			availability.Always,     // everyone
			availability.KSubset,    // K, from a prior
			availability.Bernoulli,  // a coin each
			availability.Logistic,   // by what is known of clients, and how they fare today
			availability.Markov,     // they stay for a while
			availability.Cyclic,     // blocks in turns
			availability.Diurnal,    // by the hour
			availability.Phases,     // at other rates in other phases
			availability.Drift,      // at rates that move slowly
			availability.Correlated, // many at once, or few
			availability.Trace,      // as real devices did
		),
		r.Selections.Add(
			selection.All,      // everyone available
			selection.UniformK, // K of them
			selection.MD,       // K draws with replacement
			selection.Optimal,  // by the norms of their updates
		),
	)
}

// models are what is trained.
func models(r *registry.Registry) error {
	return r.Models.Add(
		model.Linear,     // least squares
		model.Quantile,   // pinball loss, not smooth
		model.Logistic,   // binary logistic regression
		model.Softmax,    // multinomial logistic regression
		model.MLP,        // dense layers, any widths
		model.CNN,        // two convolutions
		model.ResNet9,    // eight, some of them residual
		model.VGG11,      // eight, one after another
		model.McMahanCNN, // two padded ones, 512 units
		model.LeNet5,     // two, and three dense layers
		model.ResNet18,   // eight residual blocks
		model.ResNet34,   // sixteen of them
		model.ResNet20,   // the form for CIFAR-10
		model.WideResNet, // wide instead of deep
		model.MobileNet,  // depthwise instead of wide
		model.ViT,        // attention between patches
		model.Mixed,      // one of several for every client
	)
}

// personalised are local rules whose clients have models of their own.
func personalised(r *registry.Registry) error {
	return r.LocalRules.Add(
		local.Only,       // every client alone
		local.FineTuning, // clients tune the global model before they predict
		local.FedPer,     // the head stays with the client
		local.FedRep,     // the head stays, and is trained before the body
		local.LGFedAvg,   // the body stays with the client
		local.FedBN,      // normalisation stays with the client
		local.SiloBN,     // statistics of batch norms stay with the client
		local.Ditto,      // a personal model near the global one
		local.PFedMe,     // the same, along whose Moreau envelope the global one goes
		local.APFL,       // a mixture of a local and the global model
		local.PerFedAvg,  // a global model that one step makes personal
		local.IFCA,       // the best of several models
		local.FedMD,      // a model of its own, and a consensus on public data
		local.FedKT,      // students of teachers that vote on public data
	)
}

// servers are the servers' halves of methods.
func servers(r *registry.Registry) error {
	return r.Aggregators.Add(
		aggregator.FedAvg,            // weighted mean, under its several names
		aggregator.FedAvgM,           // momentum at the server
		aggregator.FedAdagrad,        // over the root of all squared updates
		aggregator.FedAdam,           // over the root of their running mean
		aggregator.FedYogi,           // over a root that forgets slowly
		aggregator.FedOpt,            // any optimizer at the server
		aggregator.GeneralizedFedAvg, // amplified every P rounds
		aggregator.FedGMA,            // masked where signs disagree
		aggregator.FedAVOT,           // masked optimal transport
		aggregator.MinimumVariance,   // masked transport of least variance
		aggregator.Scaffold,          // keeps control variates
		aggregator.FedDyn,            // keeps a dynamic regulariser
		aggregator.FedNova,           // mean of what clients do in a step
		aggregator.FedExP,            // chooses its own rate
		aggregator.FedCM,             // sends the mean step
		aggregator.MimeLite,          // sends a momentum
		aggregator.Scaffnew,          // sends a coin
		aggregator.FedProto,          // keeps prototypes of classes
		aggregator.IFCA,              // keeps a model of each cluster of clients
		aggregator.CCVR,              // trains the head on virtual features
		aggregator.FedDF,             // distils the ensemble on public data
		aggregator.DENSE,             // distils the ensemble on images that it makes
		aggregator.FedMD,             // sends the mean of scores of public data
		aggregator.FedKT,             // learns what clients' students vote for
		aggregator.Naive,             // mean of the participants
		aggregator.RoundIPW,          // corrects participation
		aggregator.FedIPW,            // corrects enrolment and participation
		aggregator.OracleIPW,         // by the true probabilities
		aggregator.Calibrated,        // by the population's means
		aggregator.CODE,              // networks fused pair by pair
		aggregator.LMF,               // networks aligned with one of them
		aggregator.FusionBarycenter,  // the network in the middle of all
		aggregator.GitReBasin,        // networks permuted until they agree
		aggregator.ZipIt,             // features merged, within networks, too
		aggregator.PFNM,              // neurons matched under a beta process prior
		aggregator.FedMA,             // the same, from the input on
		aggregator.FedMALayerwise,    // one layer a round
		aggregator.FisherMerging,     // parameters weighted by what clients know of them
		aggregator.RegMean,           // dense layers by least squares
		aggregator.ModelSoup,         // the mean of some of the models
		aggregator.ExpAverage,        // CODE without transport
		aggregator.BestLocal,         // one of the models
		aggregator.Ensemble,          // all of them
		aggregator.Fixed,             // weights as written
		aggregator.FedCGS,            // head from moments of features
		aggregator.FedPFT,            // head from features drawn from mixtures
		aggregator.ValidatedAverage,  // mean of models at the rate that validation chooses
	)
}
