package render

// texAccents are the characters that set an accent on the one before them.
var texAccents = map[rune]string{
	'\u0300': "\\`{%s}", '\u0301': `\'{%s}`, '\u0308': `\"{%s}`, '\u030a': `\r{%s}`,
	'\u030c': `\v{%s}`, '\u0327': `\c{%s}`,
	'\u0302': `$\hat{%s}$`, '\u0303': `$\tilde{%s}$`, '\u0304': `$\bar{%s}$`,
	'\u0305': `$\overline{%s}$`, '\u0307': `$\dot{%s}$`,
}

// texEscapes are the characters that mean something to LaTeX, or look different in the
// encoding of its fonts.
var texEscapes = map[rune]string{
	'\\': `\textbackslash{}`, '{': `\{`, '}': `\}`, '$': `\$`, '&': `\&`, '#': `\#`,
	'%': `\%`, '_': `\_`, '^': `\textasciicircum{}`,
	'[': `{[}`, ']': `{]}`, '*': `{*}`, // an optional argument, or a star, of the \\ before
	'"': `\texttt{"}`, '`': `\textasciigrave{}`,
}

// texSymbols are the characters that LaTeX has in mathematics only.
var texSymbols = map[rune]string{
	'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`, 'ε': `\varepsilon`,
	'ϵ': `\epsilon`, 'ζ': `\zeta`, 'η': `\eta`, 'θ': `\theta`, 'ϑ': `\vartheta`, 'ι': `\iota`,
	'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`, 'µ': `\mu`, 'ν': `\nu`, 'ξ': `\xi`, 'ο': `o`,
	'π': `\pi`, 'ρ': `\rho`, 'ς': `\varsigma`, 'σ': `\sigma`, 'τ': `\tau`, 'υ': `\upsilon`,
	'φ': `\varphi`, 'ϕ': `\phi`, 'χ': `\chi`, 'ψ': `\psi`, 'ω': `\omega`,
	'Α': `\mathrm{A}`, 'Β': `\mathrm{B}`, 'Γ': `\Gamma`, 'Δ': `\Delta`, 'Ε': `\mathrm{E}`,
	'Ζ': `\mathrm{Z}`, 'Η': `\mathrm{H}`, 'Θ': `\Theta`, 'Ι': `\mathrm{I}`, 'Κ': `\mathrm{K}`,
	'Λ': `\Lambda`, 'Μ': `\mathrm{M}`, 'Ν': `\mathrm{N}`, 'Ξ': `\Xi`, 'Ο': `\mathrm{O}`,
	'Π': `\Pi`, 'Ρ': `\mathrm{P}`, 'Σ': `\Sigma`, 'Τ': `\mathrm{T}`, 'Υ': `\Upsilon`,
	'Φ': `\Phi`, 'Χ': `\mathrm{X}`, 'Ψ': `\Psi`, 'Ω': `\Omega`,
	'−': `-`, '±': `\pm`, '∓': `\mp`, '×': `\times`, '÷': `\div`, '·': `\cdot`, '∗': `\ast`,
	'~': `\sim`,
	'<': `<`, '>': `>`, '|': `|`, '≤': `\le`, '≥': `\ge`, '≠': `\ne`, '≈': `\approx`,
	'≡': `\equiv`, '∼': `\sim`, '≪': `\ll`, '≫': `\gg`, '∝': `\propto`, '∞': `\infty`,
	'∑': `\sum`, '∏': `\prod`, '∫': `\int`, '√': `\surd`, '∂': `\partial`, '∇': `\nabla`,
	'∈': `\in`, '∉': `\notin`, '∋': `\ni`, '⊂': `\subset`, '⊆': `\subseteq`, '∪': `\cup`,
	'∩': `\cap`, '∅': `\emptyset`, '∀': `\forall`, '∃': `\exists`, '¬': `\neg`, '∧': `\wedge`,
	'∨': `\vee`, '⊕': `\oplus`, '⊗': `\otimes`, '∘': `\circ`, '‖': `\|`, '∥': `\|`,
	'←': `\leftarrow`, '→': `\rightarrow`, '↑': `\uparrow`, '↓': `\downarrow`,
	'↔': `\leftrightarrow`, '⇐': `\Leftarrow`, '⇒': `\Rightarrow`, '⇔': `\Leftrightarrow`,
	'↦': `\mapsto`, '⟨': `\langle`, '⟩': `\rangle`, '⌊': `\lfloor`, '⌋': `\rfloor`,
	'⌈': `\lceil`, '⌉': `\rceil`, '′': `{}'`, '″': `{}''`, 'ℓ': `\ell`,
	'★': `\star`, '†': `\dagger`, '‡': `\ddagger`,
	'◂': `\triangleleft`, 'ℝ': `\mathbf{R}`, 'ℕ': `\mathbf{N}`, 'ℤ': `\mathbf{Z}`,
	'ℬ': `\mathcal{B}`, 'ℰ': `\mathcal{E}`, 'ℱ': `\mathcal{F}`, 'ℋ': `\mathcal{H}`,
	'ℐ': `\mathcal{I}`, 'ℒ': `\mathcal{L}`, 'ℳ': `\mathcal{M}`, 'ℛ': `\mathcal{R}`,
	'⁰': `^{0}`, '¹': `^{1}`, '²': `^{2}`, '³': `^{3}`, '⁴': `^{4}`, '⁵': `^{5}`,
	'⁶': `^{6}`, '⁷': `^{7}`, '⁸': `^{8}`, '⁹': `^{9}`, '⁺': `^{+}`, '⁻': `^{-}`,
	'⁼': `^{=}`, '⁽': `^{(}`, '⁾': `^{)}`, 'ⁿ': `^{n}`, 'ⁱ': `^{i}`, 'ᵗ': `^{t}`,
	'ᵏ': `^{k}`, 'ᵀ': `^{T}`, 'ᴺ': `^{N}`, 'ᴷ': `^{K}`, '₀': `_{0}`, '₁': `_{1}`,
	'₂': `_{2}`, '₃': `_{3}`, '₄': `_{4}`, '₅': `_{5}`, '₆': `_{6}`, '₇': `_{7}`,
	'₈': `_{8}`, '₉': `_{9}`, '₊': `_{+}`, '₋': `_{-}`, '₌': `_{=}`, '₍': `_{(}`,
	'₎': `_{)}`, 'ᵢ': `_{i}`, 'ⱼ': `_{j}`, 'ₖ': `_{k}`, 'ₙ': `_{n}`, 'ₜ': `_{t}`,
}
