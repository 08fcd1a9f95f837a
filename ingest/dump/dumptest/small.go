package dumptest

import (
	"path/filepath"
	"testing"
)

// Small writes a small dump of its own into a folder, with something of all that
// dressings treat: tags, quotes, line feeds, characters beyond ASCII and beyond
// the first plane.
func Small(t testing.TB, to string) {
	t.Helper()
	for table, doc := range map[string]string{
		"Posts": `<posts>
  <row Id="1" PostTypeId="1" AcceptedAnswerId="2" CreationDate="2012-03-04T05:06:07.890" Score="3" ViewCount="17" Body="&lt;p&gt;How do I say &quot;a &amp;amp; b&quot;?&lt;/p&gt;&#xA;&#xA;&lt;pre&gt;&lt;code&gt;x = 'naïve' &amp;lt; 😀&#xA;&lt;/code&gt;&lt;/pre&gt;&#xA;" OwnerUserId="7" LastActivityDate="2012-03-05T00:00:00.000" Title="“Quotes” &amp; ampersands" Tags="&lt;c#&gt;&lt;.net&gt;&lt;c++&gt;" AnswerCount="1" CommentCount="1" />
  <row Id="2" PostTypeId="2" ParentId="1" CreationDate="2012-03-04T06:06:07.000" Score="-1" Body="" OwnerDisplayName="user'7" LastActivityDate="2012-03-04T06:06:07.000" CommentCount="0" ContentLicense="CC BY-SA 3.0" />
  <row Id="5" PostTypeId="1" CreationDate="2012-03-04T07:06:07.123" Score="0" Body="&lt;p&gt;日本語 &gt; é&lt;/p&gt;" Title="" Tags="&lt;python&gt;" LastActivityDate="2012-03-04T07:06:07.123" />
</posts>
`,
		"Comments":  "<comments>\n  <row Id=\"11\" PostId=\"1\" Score=\"0\" Text=\"It's fine: “yes”.\" CreationDate=\"2012-03-04T05:07:00.000\" UserId=\"-1\" />\n</comments>",
		"Votes":     "<votes>\n  <row Id=\"21\" PostId=\"1\" VoteTypeId=\"2\" CreationDate=\"2012-03-04T00:00:00.000\" />\n  <row Id=\"22\" PostId=\"2\" VoteTypeId=\"8\" BountyAmount=\"50\" CreationDate=\"2012-03-04T00:00:00.000\" />\n</votes>",
		"PostLinks": "<postlinks>\n  <row Id=\"31\" CreationDate=\"2012-03-04T05:08:00.000\" PostId=\"5\" RelatedPostId=\"1\" LinkTypeId=\"3\" />\n</postlinks>",
		"Tags":      "<tags>\n  <row Id=\"41\" TagName=\"c#\" Count=\"1\" />\n  <row Id=\"42\" TagName=\".net\" Count=\"1\" IsRequired=\"True\" />\n</tags>",
	} {
		write(t, filepath.Join(to, table+".xml"), []byte("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"+doc))
	}
}
