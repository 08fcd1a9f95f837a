package embed

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"s2g/schema"
	"s2g/schema/schematest"
)

var update = flag.Bool("update", false, "make the golden vectors anew, by Qdrant's engine")

// qdrantEngine is the PyPI package of Qdrant's engine, version 1.18.
const qdrantEngine = "qdrant-edge-py==0.7.2"

// goldenVector is what Qdrant's engine makes of a text: a document, and a query.
type goldenVector struct {
	Language, Text  string
	Indices, Query  []uint32
	Values, Weights []float32
}

// languageTexts are the texts of the golden vectors, by language. Each is compared in English, too.
var languageTexts = map[Language][]string{
	Spanish: {
		"¿Cómo puedo combinar dos diccionarios en Python? Estoy usando la versión 3.9 y no funciona.",
		"El método `dict.update()` modifica el diccionario original; ¿habría alguna alternativa más rápida?",
		"Nuestras aplicaciones móviles están fallando: ÁRBOL, Niño, pingüino, corazón, camión/camiones, rápidamente",
		"sintiendo estuviésemos tuviéramos hubiésemos habíamos fuésemos",
		"devuélvemelo diciéndonoslo haciéndolas explicándoselo públicamente imposibilidad ingeniería",
	},
	French: {
		"C'est l'été : j’aime les pommes d’aujourd’hui, où l'on s'aperçoit qu'il n'y en a guère",
		"Comment fusionner deux dictionnaires en Python ? Je n'arrive pas à écrire la fonction récursive.",
		"Les éléphants naïfs ÉTAIENT déçus; œuvre, cœur, garçon, aiguë, aiguës, es, étant, étée",
		"continuellement développement développeurs utilisateurs générique génériques majestueusement",
	},
	Russian: {
		"Как объединить два словаря в Python? Я использую версию 3.9, но ничего не работает.",
		"Почему метод возвращает пустой список, если ещё нет элементов? Её код, ёлка и еж.",
		"ПРОГРАММИРОВАНИЕ программиста программистами программируя запрограммировавшийся наилучшими",
		"аи ай ау ее ей ею объектно-ориентированного API-запросов и C++/Qt",
	},
	Portuguese: {
		"Como posso juntar dois dicionários em Python? Não estou conseguindo na versão 3.9.",
		"As funções estão devolvendo valores errados; há alguma solução mais rápida do que esta?",
		"AÇÃO corações ônibus lâmpadas facilmente à às é éramos fôssemos houvéramos",
		"programação programadores programando programaríamos utilizá-lo-íamos",
	},
	Japanese: {
		"Pythonで2つの辞書を結合する方法は？ dict.update() を使っています。",
		"the Running functions の使い方",
	},
}

func goldenPath() string { return filepath.Join("testdata", "bm25-languages.json") }

// TestBM25Languages compares vectors with those of Qdrant's engine.
func TestBM25Languages(t *testing.T) {
	if *update {
		writeGolden(t)
	}
	content, err := os.ReadFile(goldenPath())
	if err != nil {
		t.Fatal(err)
	}
	var golden []goldenVector
	if err := json.Unmarshal(content, &golden); err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for _, g := range golden {
		compared[g.Language]++
		b, err := OpenBM25(g.Language)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.Documents(t.Context(), []string{g.Text})
		if err != nil {
			t.Fatal(err)
		}
		q, err := b.Query(t.Context(), g.Text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.Indices, v[0].Indices); diff != "" {
			t.Errorf("%s, %q: Qdrant -, BM25 +\n%s", g.Language, g.Text, diff)
			continue
		}
		for i, x := range g.Values {
			if math.Abs(float64(x-v[0].Values[i])) > 1e-6 {
				t.Errorf("%s, %q: weight %d is %v, Qdrant's %v", g.Language, g.Text, i, v[0].Values[i], x)
			}
		}
		if diff := cmp.Diff(SparseVector{g.Query, g.Weights}, q); diff != "" {
			t.Errorf("%s, query %q: Qdrant -, BM25 +\n%s", g.Language, g.Text, diff)
		}
	}
	for l, texts := range languageTexts {
		if compared[string(l)] != len(texts) {
			t.Errorf("%d golden vectors of %s: run with -update", compared[string(l)], l)
		}
	}
}

// writeGolden asks Qdrant's engine for the golden vectors.
func writeGolden(t *testing.T) {
	const script = `
import json, sys
import qdrant_edge as E
for line in sys.stdin:
    language, text = json.loads(line)
    m = E.Bm25(E.Bm25Config(language=language))
    d, q = m.embed_document(text), m.embed_query(text)
    d, q = sorted(zip(d.indices, d.values)), sorted(zip(q.indices, q.values))
    print(json.dumps({"Language": language, "Text": text, "Indices": [i for i, _ in d], "Values": [v for _, v in d],
        "Query": [i for i, _ in q], "Weights": [v for _, v in q]}, ensure_ascii=False))`
	var requests [][2]string
	for l, texts := range languageTexts {
		for _, text := range texts {
			requests = append(requests, [2]string{string(l), text}, [2]string{string(English), text})
		}
	}
	slices.SortStableFunc(requests, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	lines := run(t, schematest.Python(t, qdrantEngine), script, requests)
	out := "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	if err := os.WriteFile(goldenPath(), []byte(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a script of Python, which reads each request as a line of JSON, and returns the lines that it prints.
func run[T any](t *testing.T, interpreter, script string, requests []T) (lines []string) {
	t.Helper()
	var in bytes.Buffer
	e := json.NewEncoder(&in)
	for _, r := range requests {
		if err := e.Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(interpreter, "-c", script)
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		lines = append(lines, s.Text())
	}
	if len(lines) != len(requests) {
		t.Fatalf("%d lines for %d requests", len(lines), len(requests))
	}
	return lines
}

// inventedWords returns words of random letters with endings that a stemmer cuts.
func inventedWords(l Language, n int) []string {
	letters := map[Language]string{
		Spanish: "aaaeeeiooubcdfghjlmnpqrstvyzñáéíóúü", French: "aaaeeeiiouubcdfghjlmnpqrstvxyzàâçéèêëîïôùûœ",
		Russian: "аааеееиоооуыэюяёбвгджзклмнпрстфхцчшщйьъ", Portuguese: "aaaeeeiooubcdfghjlmnpqrstvxzáâãàçéêíóôõú",
	}
	endings := map[Language]string{
		Spanish:    "amente logía ución encia ividad aríamos iésemos ándoselo iéndonos arlas yendo uyeron acioncitas icos ísima ibles anzas adoras abas é ó",
		French:     "issements atrice logies usions ences ivement ement euses ités ables eaux issaient eraient assions âmes ïons ants ier ière ë és",
		Russian:    "ейшими остью ившийся увшая ующего аете ейте ывать ость ями иями ьюю ешь ена ть ся сь ее ою нн ь ъ ё",
		Portuguese: "amente idades logias uções ências ezas ivas iras aríamos êssemos ásseis ando ições ável íveis issimo ei ou ã õ ê",
	}
	random := rand.New(rand.NewPCG(1, uint64(len(l))))
	alphabet, ends := []rune(letters[l]), strings.Fields(endings[l])
	words := make([]string, n)
	for i := range words {
		var w []rune
		for range random.IntN(9) {
			w = append(w, alphabet[random.IntN(len(alphabet))])
		}
		for range random.IntN(3) {
			w = append(w, []rune(ends[random.IntN(len(ends))])...)
		}
		if len(w) == 0 || random.IntN(4) == 0 { // an ending inside the word
			w = append(w, alphabet[random.IntN(len(alphabet))])
		}
		words[i] = string(w)
	}
	return words
}

// TestStemmers compares the stemmers with those of Qdrant's client and engine, on invented words.
func TestStemmers(t *testing.T) {
	schematest.Long(t)
	const script = `
import json, sys
from py_rust_stemmers import SnowballStemmer
for line in sys.stdin:
    language, words = json.loads(line)
    s = SnowballStemmer(language)
    print(json.dumps([s.stem_word(w) for w in words]))`
	interpreter := schematest.Python(t, "py-rust-stemmers==0.1.8")
	for _, l := range []Language{French, Portuguese, Russian, Spanish} {
		t.Run(string(l), func(t *testing.T) {
			words := inventedWords(l, 50_000)
			var chunks [][2]any
			for part := range slices.Chunk(words, 500) {
				chunks = append(chunks, [2]any{l, part})
			}
			cut := 0
			for i, line := range run(t, interpreter, script, chunks) {
				var want []string
				if err := json.Unmarshal([]byte(line), &want); err != nil {
					t.Fatal(err)
				}
				for j, w := range words[i*500 : i*500+len(want)] {
					if got := l.rules().stem(w); got != want[j] {
						t.Errorf("%q is stemmed to %q, by Qdrant's library to %q", w, got, want[j])
					}
					if want[j] != w {
						cut++
					}
				}
			}
			if cut < len(words)*2/5 {
				t.Errorf("the stemmer cut only %d of %d words", cut, len(words))
			}
		})
	}
}

// TestStopWords compares the lists with Qdrant's engine: each stop word has no vector, each other word has one. The other
// words are those of the lists of all languages with a letter less, and short ones.
func TestStopWords(t *testing.T) {
	schematest.Long(t)
	const script = `
import json, sys
import qdrant_edge as E
for line in sys.stdin:
    language, words = json.loads(line)
    m = E.Bm25(E.Bm25Config(language=language))
    print(json.dumps([not m.embed_document(w).indices for w in words]))`
	candidates := map[string]bool{}
	for _, l := range LanguageNames() {
		for w := range Language(l).rules().stop {
			candidates[w] = true
			r := []rune(w)
			candidates[string(r[:len(r)-1])], candidates[string(r[1:])] = true, true
		}
	}
	for _, alphabet := range []string{"abcdefghijklmnopqrstuvwxyzáàâãçéèêëíîïñóôõœúùûü", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"} {
		for _, x := range alphabet {
			for _, y := range alphabet {
				candidates[string(x)], candidates[string([]rune{x, y})] = true, true
			}
		}
	}
	delete(candidates, "")
	var words []string
	for w := range candidates {
		words = append(words, w)
	}
	slices.Sort(words)
	var requests [][2]any
	names := slices.DeleteFunc(LanguageNames(), func(l string) bool { return l == string(Unstemmed) }) // which this package of the engine refuses
	for _, l := range names {
		requests = append(requests, [2]any{l, words})
	}
	for i, line := range run(t, schematest.Python(t, qdrantEngine), script, requests) {
		var stop []bool
		if err := json.Unmarshal([]byte(line), &stop); err != nil {
			t.Fatal(err)
		}
		rules := Language(names[i]).rules()
		for j, is := range stop {
			if is != rules.stop[words[j]] {
				t.Errorf("%s: that %q is a stop word is %v, for Qdrant %v", names[i], words[j], !is, is)
			}
		}
	}
}

func TestParseLanguage(t *testing.T) {
	for name, want := range map[string]Language{"": English, "en": English, "english": English, "es": Spanish, "russian": Russian, "ja": Japanese, "none": Unstemmed} {
		if got, err := ParseLanguage(name); got != want || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"Spanish", "german", "x"} {
		_, err := ParseLanguage(name)
		if fault, remedy := schema.FaultOf(err); fault != schema.FaultUsage || !strings.Contains(remedy, "spanish") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestLanguageOfModels checks that the names of both builtin models, and the file of the dense one, hold their language, and
// that those of English are the names and bytes of before.
func TestLanguageOfModels(t *testing.T) {
	texts := languageTexts[Spanish]
	sums := map[string]bool{}
	for _, l := range LanguageNames() {
		b, err := OpenBM25(l)
		if err != nil {
			t.Fatal(err)
		}
		again, ok := OpenBM25Model(b.Model())
		if !ok || again.Language() != Language(l) || (b.Model() == "qdrant/bm25") != (l == "english") {
			t.Errorf("%s: the sparse model is %s", l, b.Model())
		}
		m, err := FitLSA(t.Context(), Language(l), slices.Values(texts), 4)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := m.Write(&file); err != nil {
			t.Fatal(err)
		}
		read, err := parseLSA(file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if read.Language() != Language(l) || read.Model() != m.Model() || bytes.HasPrefix(file.Bytes(), []byte(lsaMagic)) != (l == "english") {
			t.Errorf("%s: the model's file is of %s, its name %s, the model's %s", l, read.Language(), read.Model(), m.Model())
		}
		if diff := cmp.Diff(documents(t, m, texts...), documents(t, read, texts...)); diff != "" {
			t.Errorf("%s: %s", l, diff)
		}
		sums[m.Model()] = true
		for _, cut := range []int{1, 9, 12} {
			if _, err := parseLSA(file.Bytes()[:cut]); err == nil {
				t.Errorf("%s: a file cut at %d is read", l, cut)
			}
		}
	}
	if len(sums) != len(languageTable) {
		t.Errorf("%d names of %d models", len(sums), len(languageTable))
	}
	for _, model := range []string{"", "bge-m3", "qdrant/bm25?language=", "qdrant/bm25?language=klingon"} {
		if b, ok := OpenBM25Model(model); ok {
			t.Errorf("%q is read as %s", model, b.Model())
		}
	}
}

// TestDocumentsInTwoLanguages checks that two embedders of different languages each analyse the texts.
func TestDocumentsInTwoLanguages(t *testing.T) {
	texts := languageTexts[Spanish]
	sparse, err := OpenBM25("spanish")
	if err != nil {
		t.Fatal(err)
	}
	want, err := sparse.Documents(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Language{English, Spanish} {
		m, err := FitLSA(t.Context(), l, slices.Values(texts), 4)
		if err != nil {
			t.Fatal(err)
		}
		gotDense, gotSparse, err := Documents(t.Context(), m, sparse, texts)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, gotSparse); diff != "" {
			t.Errorf("%s: %s", l, diff)
		}
		if diff := cmp.Diff(documents(t, m, texts...), gotDense); diff != "" {
			t.Errorf("%s: %s", l, diff)
		}
		if b := (&Pair{Dense: m, Sparse: &bgeM3{}}).BM25(); b.Language() != l {
			t.Errorf("the terms of a snippet are in %s, the dense embedder in %s", b.Language(), l)
		}
	}
}
