package embed

import "strings"

// wordSet returns the words of a text as a set.
func wordSet(text string) map[string]bool {
	m := make(map[string]bool)
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

// The stop words of each language, as Qdrant 1.18 has them, less those with an apostrophe: splitting leaves their halves.
// TestStopWords compares them with Qdrant's engine.
var (
	englishStopWords = wordSet(`
			i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
			herself it its itself they them their theirs themselves what which who whom this that these those am is
			are was were be been being have has had having do does did doing a an the and but if or because as until
			while of at by for with about against between into through during before after above below to from up
			down in out on off over under again further then once here there when where why how all any both each few
			more most other some such no nor not only own same so than too very s t can will just don should now d ll
			m o re ve y ain aren couldn didn doesn hadn hasn haven isn ma mightn mustn needn shan shouldn wasn weren
			won wouldn`)

	frenchStopWords = wordSet(`
			ai aie aient aies ait as au aura aurai auraient aurais aurait auras aurez auriez aurions aurons auront aux avaient
			avais avait avec avez aviez avions avons ayant ayante ayantes ayants ayez ayons c ce ces d dans de des du elle en es
			est et eu eue eues eurent eus eusse eussent eusses eussiez eussions eut eux eûmes eût eûtes furent fus fusse fussent
			fusses fussiez fussions fut fûmes fût fûtes il ils j je l la le les leur lui m ma mais me mes moi mon même n ne nos
			notre nous on ont ou par pas pour qu que qui s sa se sera serai seraient serais serait seras serez seriez serions
			serons seront ses soient sois soit sommes son sont soyez soyons suis sur t ta te tes toi ton tu un une vos votre vous
			y à étaient étais était étant étante étantes étants étiez étions été étée étées étés êtes`)

	portugueseStopWords = wordSet(`
			a ao aos aquela aquelas aquele aqueles aquilo as até com como da das de dela delas dele deles depois do dos e ela elas
			ele eles em entre era eram essa essas esse esses esta estamos estar estas estava estavam este esteja estejam estejamos
			estes esteve estive estivemos estiver estivera estiveram estiverem estivermos estivesse estivessem estivéramos
			estivéssemos estou está estávamos estão eu foi fomos for fora foram forem formos fosse fossem fui fôramos fôssemos
			haja hajam hajamos havemos haver hei houve houvemos houver houvera houveram houverei houverem houveremos houveria
			houveriam houvermos houverá houverão houveríamos houvesse houvessem houvéramos houvéssemos há hão isso isto já lhe
			lhes mais mas me mesmo meu meus minha minhas muito na nas nem no nos nossa nossas nosso nossos num numa não nós o os
			ou para pela pelas pelo pelos por qual quando que quem se seja sejam sejamos sem ser serei seremos seria seriam será
			serão seríamos seu seus somos sou sua suas são só também te tem temos tenha tenham tenhamos tenho terei teremos teria
			teriam terá terão teríamos teu teus teve tinha tinham tive tivemos tiver tivera tiveram tiverem tivermos tivesse
			tivessem tivéramos tivéssemos tu tua tuas tém tínhamos um uma você vocês vos à às é éramos`)

	russianStopWords = wordSet(`
			а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот впрочем все всегда всего всех
			всю вы где да даже два для до другой его ее ей ему если есть еще ж же за зачем здесь и из или им иногда их к как какая
			какой когда конечно кто куда ли лучше между меня мне много может можно мой моя мы на над надо наконец нас не него нее
			ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они опять от перед по под после потом потому
			почти при про раз разве с сам свою себе себя сейчас со совсем так такой там тебя тем теперь то тогда того тоже только
			том тот три тут ты у уж уже хорошо хоть чего чем через что чтоб чтобы чуть эти этого этой этом этот эту я`)

	spanishStopWords = wordSet(`
			a al algo algunas algunos ante antes como con contra cual cuando de del desde donde durante e el ella ellas ellos en
			entre era erais eran eras eres es esa esas ese eso esos esta estaba estabais estaban estabas estad estada estadas
			estado estados estamos estando estar estaremos estará estarán estarás estaré estaréis estaría estaríais estaríamos
			estarían estarías estas este estemos esto estos estoy estuve estuviera estuvierais estuvieran estuvieras estuvieron
			estuviese estuvieseis estuviesen estuvieses estuvimos estuviste estuvisteis estuviéramos estuviésemos estuvo está
			estábamos estáis están estás esté estéis estén estés fue fuera fuerais fueran fueras fueron fuese fueseis fuesen
			fueses fui fuimos fuiste fuisteis fuéramos fuésemos ha habida habidas habido habidos habiendo habremos habrá habrán
			habrás habré habréis habría habríais habríamos habrían habrías habéis había habíais habíamos habían habías han has
			hasta hay haya hayamos hayan hayas hayáis he hemos hube hubiera hubierais hubieran hubieras hubieron hubiese hubieseis
			hubiesen hubieses hubimos hubiste hubisteis hubiéramos hubiésemos hubo la las le les lo los me mi mis mucho muchos muy
			más mí mía mías mío míos nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros
			para pero poco por porque que quien quienes qué se sea seamos sean seas sentid sentida sentidas sentido sentidos
			seremos será serán serás seré seréis sería seríais seríamos serían serías seáis siente sin sintiendo sobre sois somos
			son soy su sus suya suyas suyo suyos sí también tanto te tendremos tendrá tendrán tendrás tendré tendréis tendría
			tendríais tendríamos tendrían tendrías tened tenemos tenga tengamos tengan tengas tengo tengáis tenida tenidas tenido
			tenidos teniendo tenéis tenía teníais teníamos tenían tenías ti tiene tienen tienes todo todos tu tus tuve tuviera
			tuvierais tuvieran tuvieras tuvieron tuviese tuvieseis tuviesen tuvieses tuvimos tuviste tuvisteis tuviéramos
			tuviésemos tuvo tuya tuyas tuyo tuyos tú un una uno unos vosotras vosotros vuestra vuestras vuestro vuestros y ya yo
			él éramos`)
)
