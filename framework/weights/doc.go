// Package weights reads and writes parameters of models as safetensors files, and knows by which
// names and in which order PyTorch holds them.
//
//	file, err := weights.Read("resnet18.safetensors")
//	err = weights.Fill(params, layout, file, nil)      // a file → parameters of a layout
//	tensors, err := weights.Tensors(layout, params)    // and back
//	err = weights.Write(w, tensors, nil)
//
// A layer is named as its module would be in PyTorch (fl.Layer.Name), a block by its role: weight
// and bias of dense layers, convolutions and norms, running_mean and running_var of batch norms.
// PyTorch holds windows of a convolution channels first, and flattens images so: both are turned.
package weights
