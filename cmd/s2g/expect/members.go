package expect

import (
	"context"
	"fmt"
	"strings"
)

// nthTag is tag n.N of a question: S2GAsked.Tags is |a|b|.
const nthTag = "SUBSTRING_INDEX(SUBSTRING_INDEX(a.Tags,'|',n.N+1),'|',-1)"

// Tags are held as bytes: that is how they are compared, and the functions that
// cut them up are several times slower on characters.
const tagType = "VARBINARY(400)"

// session makes nested loops follow the order that the statements give, so that
// groups come in the order of primary keys and need no sort, and keeps temporary
// tables of many groups in memory.
var session = []string{
	"SET SESSION join_cache_level=0",
	"SET SESSION tmp_memory_table_size=268435456",
	"SET SESSION max_heap_table_size=268435456",
	"SET SESSION group_concat_max_len=1048576",
}

// prepare makes the temporary tables up to S2GMember.
func (l *lane) prepare(ctx context.Context, o Options) error {
	statements := append(session[:len(session):len(session)],
		"CREATE TEMPORARY TABLE S2GLanguages (Pos INT NOT NULL PRIMARY KEY, Tag "+tagType+" NULL, UNIQUE KEY (Tag)) ENGINE=InnoDB")
	if err := l.exec(ctx, statements...); err != nil {
		return err
	}
	for i, language := range o.Languages {
		if err := l.exec1(ctx, "INSERT INTO S2GLanguages VALUES (?,?)", i, []byte(language.Tag)); err != nil {
			return err
		}
	}
	return l.exec(ctx, memberStatements(len(o.Languages), o.Other)...)
}

func memberStatements(other int, withOther bool) []string {
	create := "CREATE TEMPORARY TABLE "
	s := []string{
		create + "S2GAsked (Id BIGINT NOT NULL PRIMARY KEY, Tags BLOB NOT NULL, Width INT NOT NULL) ENGINE=InnoDB",
		`INSERT INTO S2GAsked SELECT Id, IFNULL(Tags,''), GREATEST(0, LENGTH(IFNULL(Tags,''))-LENGTH(REPLACE(CAST(IFNULL(Tags,'') AS BINARY),'|',''))-1)
			FROM Posts WHERE PostTypeId=1`,
		create + "S2GNumbers (N INT NOT NULL PRIMARY KEY) ENGINE=InnoDB",
		`INSERT INTO S2GNumbers WITH RECURSIVE n AS (SELECT 1 N UNION ALL SELECT N+1 FROM n WHERE N<(SELECT MAX(Width) FROM S2GAsked)) SELECT N FROM n`,

		create + "S2GKeyed (Id BIGINT NOT NULL PRIMARY KEY, K " + tagType + " NOT NULL) ENGINE=InnoDB",
		`INSERT INTO S2GKeyed SELECT STRAIGHT_JOIN a.Id, GROUP_CONCAT(l.Pos ORDER BY l.Pos)
			FROM S2GAsked a JOIN S2GNumbers n ON n.N<=a.Width JOIN S2GLanguages l ON l.Tag=` + nthTag + " GROUP BY a.Id",
	}
	if withOther {
		s = append(s,
			fmt.Sprintf("INSERT INTO S2GLanguages VALUES (%d,NULL)", other),
			fmt.Sprintf("INSERT INTO S2GKeyed SELECT a.Id, '%d' FROM S2GAsked a LEFT JOIN S2GKeyed k ON k.Id=a.Id WHERE k.Id IS NULL", other))
	}
	return append(s,
		// each graph alone is set Pos+1, whether a question has it or not
		create+"S2GSets (S INT NOT NULL AUTO_INCREMENT PRIMARY KEY, K "+tagType+" NOT NULL, UNIQUE KEY (K)) ENGINE=InnoDB",
		"INSERT INTO S2GSets SELECT Pos+1, Pos FROM S2GLanguages",
		"INSERT IGNORE INTO S2GSets (K) SELECT DISTINCT K FROM S2GKeyed",

		create+`S2GQuestions (Id BIGINT NOT NULL PRIMARY KEY, S INT NOT NULL, Accepted BIGINT NULL, AcceptedScore INT NULL) ENGINE=InnoDB`,
		`INSERT INTO S2GQuestions SELECT STRAIGHT_JOIN k.Id, s.S, c.Id, IFNULL(c.Score,0)
			FROM S2GKeyed k JOIN S2GSets s ON s.K=k.K JOIN Posts p ON p.Id=k.Id
			LEFT JOIN Posts c ON c.Id=p.AcceptedAnswerId AND c.PostTypeId=2 AND c.ParentId=k.Id`,
		"DROP TEMPORARY TABLE S2GKeyed",

		// Accepted is, for an answer, that of its question
		create+`S2GMember (Id BIGINT NOT NULL PRIMARY KEY, S INT NOT NULL, Kind TINYINT NOT NULL, Parent BIGINT NULL,
			Accepted BIGINT NULL, AcceptedScore INT NULL) ENGINE=InnoDB`,
		`INSERT INTO S2GMember SELECT STRAIGHT_JOIN p.Id, q.S, p.PostTypeId, p.ParentId, q.Accepted, q.AcceptedScore
			FROM Posts p JOIN S2GQuestions q ON q.Id=IF(p.PostTypeId=1,p.Id,p.ParentId) WHERE p.PostTypeId IN (1,2)`,
	)
}

// prepareTags makes the temporary tables of tags.
func (l *lane) prepareTags(ctx context.Context, haveTags bool) error {
	create := "CREATE TEMPORARY TABLE "
	s := []string{
		create + "S2GTagged (S INT NOT NULL, Tag " + tagType + " NOT NULL, PRIMARY KEY (S, Tag)) ENGINE=InnoDB",
		"INSERT INTO S2GTagged SELECT STRAIGHT_JOIN DISTINCT q.S, LEFT(" + nthTag + `,400)
			FROM S2GQuestions q JOIN S2GAsked a ON a.Id=q.Id JOIN S2GNumbers n ON n.N<=a.Width`,
		create + "S2GNamed (Tag " + tagType + " NOT NULL PRIMARY KEY, Count INT NULL, Wiki BIGINT NULL, Excerpt BIGINT NULL) ENGINE=InnoDB",
	}
	if haveTags {
		s = append(s, `INSERT INTO S2GNamed SELECT t.TagName, t.Count, w.Id, e.Id FROM Tags t
			LEFT JOIN Posts w ON w.Id=t.WikiPostId AND w.PostTypeId=5
			LEFT JOIN Posts e ON e.Id=t.ExcerptPostId AND e.PostTypeId=4
			WHERE t.Id IN (SELECT MIN(Id) FROM Tags GROUP BY TagName)`)
	}
	s = append(s,
		create+"S2GDescribed (S INT NOT NULL, Tag "+tagType+` NOT NULL, Count INT NULL, Wiki BIGINT NULL, Excerpt BIGINT NULL, First TINYINT NOT NULL,
			PRIMARY KEY (S, Tag)) ENGINE=InnoDB`,
		`INSERT INTO S2GDescribed SELECT d.S, d.Tag, n.Count, n.Wiki, n.Excerpt, d.S=MIN(d.S) OVER (PARTITION BY d.Tag)
			FROM (SELECT DISTINCT l.Pos+1 S, t.Tag FROM S2GTagged t JOIN S2GSets s ON s.S=t.S JOIN S2GLanguages l ON FIND_IN_SET(l.Pos,s.K)) d
			LEFT JOIN S2GNamed n ON n.Tag=d.Tag`,
		create+"S2GWikis (S INT NOT NULL, Id BIGINT NOT NULL, First TINYINT NOT NULL, PRIMARY KEY (S, Id)) ENGINE=InnoDB",
		`INSERT INTO S2GWikis SELECT w.S, w.Id, w.S=MIN(w.S) OVER (PARTITION BY w.Id)
			FROM (SELECT S, Wiki Id FROM S2GDescribed WHERE Wiki IS NOT NULL UNION SELECT S, Excerpt FROM S2GDescribed WHERE Excerpt IS NOT NULL) w`,
	)
	return l.exec(ctx, s...)
}

func (l *lane) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if err := l.exec1(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (l *lane) exec1(ctx context.Context, statement string, args ...any) error {
	if _, err := l.conn.ExecContext(ctx, statement, args...); err != nil {
		head, _, _ := strings.Cut(statement, "(")
		return fmt.Errorf("computing what the graph must hold: %s: %w", strings.TrimSpace(head), err)
	}
	return nil
}
