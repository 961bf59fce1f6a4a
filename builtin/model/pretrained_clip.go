package model

import (
	"fmt"
	"strings"

	"github.com/hansa-fl/hansa/framework/nn"
	"github.com/hansa-fl/hansa/framework/weights"
)

// clipped is the encoder of images of CLIP: a vision transformer with a LayerNorm before its blocks
// and a projection, without a bias, behind the last.
//
//	x = LN([class; patches] + positions);  x ← x + MSA(LN(x));  x ← x + MLP(LN(x))
//	features = P·LN(class)
//
// Its MLPs have four times the width. Layers have the names of OpenAI's module visual.
type clipped struct {
	patch, width, depth, heads, features int
	gelu                                 nn.Layer
}

// besideCLIP begins the names of tensors of the encoder of texts, of the temperature, and of
// constants that files hold beside: of OpenAI's names and of those of Hugging Face.
var besideCLIP = []string{"transformer.", "token_embedding.", "positional_embedding", "ln_final.",
	"text_projection", "logit_scale", "input_resolution", "context_length", "vocab_size",
	"text_model.", "vision_model.embeddings.position_ids"}

func (v clipped) layers(string) []nn.Layer {
	list := []nn.Layer{
		nn.Named("visual.conv1", nn.ConvBare(v.width, v.patch, v.patch, 0)), nn.Sequence(),
		nn.Named("visual.class_embedding", nn.Token(embedded)),
		nn.Named("visual.positional_embedding", nn.Position(embedded)),
		nn.Named("visual.ln_pre", nn.LayerNorm()),
	}
	for k := range v.depth {
		list = append(list, v.block(k)...)
	}
	return append(list, nn.Named("visual.ln_post", nn.LayerNorm()),
		nn.Named("visual.proj", nn.ConvBare(v.features, 1, 1, 0)), nn.Flatten())
}

// block returns both parts of a block. In the last one nothing of other positions than that of the
// class is computed behind its attention.
func (v clipped) block(k int) []nn.Layer {
	name := fmt.Sprintf("visual.transformer.resblocks.%d.", k)
	positions := func(as string, out int) nn.Layer { return nn.Named(name+as, nn.Positions(out)) }
	attention := []nn.Layer{nn.Named(name+"ln_1", nn.LayerNorm()),
		positions("attn.in_proj", 3*v.width), nn.SelfAttention(v.heads)}
	project := positions("attn.out_proj", v.width)
	first := nn.Residual(append(attention, project)...)
	if k == v.depth-1 {
		first = nn.ResidualBy([]nn.Layer{nn.First()}, append(attention, nn.First(), project)...)
	}
	return []nn.Layer{first,
		nn.Residual(nn.Named(name+"ln_2", nn.LayerNorm()), positions("mlp.c_fc", 4*v.width), v.gelu,
			positions("mlp.c_proj", v.width)),
	}
}

// rename gives tensors of either naming the names and shapes of the layers.
func (v clipped) rename(f *weights.File) error {
	if _, ok := f.Shape("vision_model.embeddings.class_embedding"); ok {
		return v.renameHuggingFace(f)
	}
	for k := range v.depth {
		attention := fmt.Sprintf("visual.transformer.resblocks.%d.attn.in_proj", k)
		for _, part := range []string{"weight", "bias"} {
			if err := f.Rename(attention+"_"+part, attention+"."+part); err != nil {
				return err
			}
		}
	}
	if err := f.Transpose("visual.proj"); err != nil {
		return err
	}
	return v.reshape(f)
}

// renameHuggingFace gives the tensors of Hugging Face's CLIPModel those of OpenAI's.
func (v clipped) renameHuggingFace(f *weights.File) error {
	for k := range v.depth {
		from := fmt.Sprintf("vision_model.encoder.layers.%d.self_attn.", k)
		for _, part := range []string{"weight", "bias"} {
			if err := f.Join(from+"in_proj."+part, from+"q_proj."+part, from+"k_proj."+part,
				from+"v_proj."+part); err != nil {
				return err
			}
		}
	}
	names := strings.NewReplacer(
		"vision_model.embeddings.class_embedding", "visual.class_embedding",
		"vision_model.embeddings.patch_embedding", "visual.conv1",
		"vision_model.embeddings.position_embedding.weight", "visual.positional_embedding",
		"vision_model.pre_layrnorm", "visual.ln_pre",
		"vision_model.post_layernorm", "visual.ln_post",
		"visual_projection.weight", "visual.proj",
		"vision_model.encoder.layers", "visual.transformer.resblocks", "self_attn", "attn",
		"layer_norm", "ln_", "mlp.fc1", "mlp.c_fc", "mlp.fc2", "mlp.c_proj")
	for _, name := range f.Names() {
		ours := strings.HasPrefix(name, "vision_model.") || strings.HasPrefix(name, "visual_")
		if !ours || name == "vision_model.embeddings.position_ids" {
			continue
		}
		if err := f.Rename(name, names.Replace(name)); err != nil {
			return err
		}
	}
	return v.reshape(f)
}

// reshape gives the tensors that are no modules the names of blocks of layers, and shapes.
func (v clipped) reshape(f *weights.File) error {
	for _, name := range []string{"class_embedding", "positional_embedding", "proj"} {
		if err := f.Rename("visual."+name, "visual."+name+".weight"); err != nil {
			return err
		}
	}
	if err := f.Reshape("visual.class_embedding.weight", 1, v.width); err != nil {
		return err
	}
	return f.Reshape("visual.proj.weight", v.features, v.width)
}
