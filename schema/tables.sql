-- The tables of a dump in MariaDB 10.6 or newer.
--
-- A column has the name of its attribute in the dump. NULL means that a row lacks the attribute, or that its number or date is empty;
-- an empty text stays an empty text. Text is utf8mb4 and compared byte by byte (nopad_bin), because tags such as "c" and "C", or "a"
-- and "a ", are different names. Texts are LONGTEXT, because a row of a dump may have 64 MiB; shorter types take no less space. Ids are
-- BIGINT, because those of real dumps exceed 2^31. Votes, comments and links may refer to missing posts, so there are no foreign keys.
--
-- s2g creates a staging table NAME_new with the primary key only. It adds the lines "KEY" after the load, because building an index
-- from sorted runs is faster than inserting into it.

CREATE TABLE Posts (
  Id                    BIGINT      NOT NULL COMMENT 'number of the post, unique on its site',
  PostTypeId            SMALLINT    NOT NULL COMMENT '1 question, 2 answer, 4 tag wiki excerpt, 5 tag wiki; 3, 6 to 17 are not in the graph',
  AcceptedAnswerId      BIGINT      NULL     COMMENT 'of a question: the Id of the answer its author accepted',
  ParentId              BIGINT      NULL     COMMENT 'of an answer: the Id of its question',
  CreationDate          DATETIME(3) NOT NULL COMMENT 'UTC',
  DeletionDate          DATETIME(3) NULL     COMMENT 'UTC; in no public dump so far',
  Score                 INT         NULL     COMMENT 'up votes less down votes; may be negative',
  ViewCount             INT         NULL     COMMENT 'of a question',
  Body                  LONGTEXT    NULL     COMMENT 'HTML',
  OwnerUserId           BIGINT      NULL     COMMENT 'author; -1 is the site itself; NULL for deleted users',
  OwnerDisplayName      LONGTEXT    NULL     COMMENT 'name of an author who was deleted',
  LastEditorUserId      BIGINT      NULL     COMMENT 'who edited it last; -1 is the site itself',
  LastEditorDisplayName LONGTEXT    NULL     COMMENT 'name of an editor who was deleted',
  LastEditDate          DATETIME(3) NULL     COMMENT 'UTC',
  LastActivityDate      DATETIME(3) NULL     COMMENT 'UTC',
  Title                 LONGTEXT    NULL     COMMENT 'of a question; plain text',
  Tags                  LONGTEXT    NULL     COMMENT '|a|b|, each tag once, whatever spelling the dump has',
  AnswerCount           INT         NULL     COMMENT 'as the site counted; the dump may hold fewer',
  CommentCount          INT         NULL     COMMENT 'as the site counted',
  FavoriteCount         INT         NULL     COMMENT 'of a question',
  ClosedDate            DATETIME(3) NULL     COMMENT 'UTC; of a question that was closed',
  CommunityOwnedDate    DATETIME(3) NULL     COMMENT 'UTC; when it became a community wiki',
  ContentLicense        LONGTEXT    NULL     COMMENT 'as "CC BY-SA 4.0"; older dumps do not have it',
  PRIMARY KEY (Id),
  KEY ParentId (ParentId),
  KEY AcceptedAnswerId (AcceptedAnswerId),
  KEY OwnerUserId (OwnerUserId)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='questions, answers, tag wikis and their excerpts';

CREATE TABLE Comments (
  Id              BIGINT      NOT NULL COMMENT 'number of the comment',
  PostId          BIGINT      NOT NULL COMMENT 'its post; may not be in the dump',
  Score           INT         NULL,
  Text            LONGTEXT    NULL     COMMENT 'plain text with a little Markdown',
  CreationDate    DATETIME(3) NOT NULL COMMENT 'UTC',
  UserDisplayName LONGTEXT    NULL     COMMENT 'name of an author who was deleted',
  UserId          BIGINT      NULL     COMMENT 'author',
  ContentLicense  LONGTEXT    NULL     COMMENT 'as "CC BY-SA 4.0"; older dumps do not have it',
  PRIMARY KEY (Id),
  KEY PostId (PostId),
  KEY UserId (UserId)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='comments on posts';

CREATE TABLE Votes (
  Id           BIGINT      NOT NULL COMMENT 'number of the vote',
  PostId       BIGINT      NOT NULL COMMENT 'its post; may not be in the dump',
  VoteTypeId   SMALLINT    NOT NULL COMMENT '1 accepted, 2 up, 3 down, 5 favourite, 8 and 9 bounty, and others up to 33',
  UserId       BIGINT      NULL     COMMENT 'of favourites and bounties alone',
  CreationDate DATETIME(3) NULL     COMMENT 'UTC; the day alone',
  BountyAmount INT         NULL     COMMENT 'of bounties',
  PRIMARY KEY (Id),
  KEY PostId (PostId, VoteTypeId)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='votes for posts';

CREATE TABLE PostLinks (
  Id            BIGINT      NOT NULL COMMENT 'number of the link',
  CreationDate  DATETIME(3) NULL     COMMENT 'UTC',
  PostId        BIGINT      NOT NULL COMMENT 'from this post; may not be in the dump',
  RelatedPostId BIGINT      NOT NULL COMMENT 'to this post; may not be in the dump',
  LinkTypeId    SMALLINT    NOT NULL COMMENT '1 linked, 3 duplicate of',
  PRIMARY KEY (Id),
  KEY PostId (PostId),
  KEY RelatedPostId (RelatedPostId)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='links between posts';

CREATE TABLE Tags (
  Id              BIGINT       NOT NULL COMMENT 'number of the tag',
  TagName         VARCHAR(255) NOT NULL COMMENT 'as in Posts.Tags',
  Count           INT          NULL     COMMENT 'questions with it, as the site counted',
  ExcerptPostId   BIGINT       NULL     COMMENT 'the post that holds its short description',
  WikiPostId      BIGINT       NULL     COMMENT 'the post that holds its long description',
  IsModeratorOnly TINYINT      NULL     COMMENT '1 true, 0 false',
  IsRequired      TINYINT      NULL     COMMENT '1 true, 0 false',
  PRIMARY KEY (Id),
  KEY TagName (TagName),
  KEY ExcerptPostId (ExcerptPostId),
  KEY WikiPostId (WikiPostId)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin COMMENT='tags';
