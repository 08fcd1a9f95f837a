package oracle

// Omission is a class of rows, or of values, that are in the tables and not in the graph. Its
// name is that of the count in the manifest.
type Omission int

// The omissions.
const (
	QuestionsOutside       Omission = iota // of no graph
	AnswersOutside                         // their question is missing or in no graph
	AcceptedDropped                        // questions whose accepted answer is missing or answers another one
	CommentsOutside                        // on a post in no graph
	CommentsOnWikis                        // the graph has none
	CommentsWithoutPost                    // their post is not in the dump
	VotesWithoutPost                       // up and down votes whose post is not in the dump
	LinksOutside                           // rows of links with an end in no graph
	LinksRepeated                          // rows that repeat a link
	DuplicatesNotQuestions                 // links of duplicates with an end that is no question
	TagsWithoutRow                         // tags of questions without a row of Tags
	WikisDropped                           // wikis and excerpts of tags that are missing or of another type
	Omissions                              // the number of omissions
)

var omissionNames = [Omissions]string{
	"questions_outside", "answers_outside", "accepted_dropped", "comments_outside", "comments_on_wikis", "comments_without_post",
	"votes_without_post", "links_outside", "links_repeated", "duplicates_not_questions", "tags_without_row", "wikis_dropped",
}

// String returns the name of the count in the manifest.
func (o Omission) String() string { return omissionNames[o] }
