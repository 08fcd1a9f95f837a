-- Views of the tables for frequent queries of people. s2g does not read them.

CREATE OR REPLACE SQL SECURITY INVOKER VIEW Questions AS
SELECT
  Id, CreationDate, Score, ViewCount, Title, Body, Tags, AcceptedAnswerId, AnswerCount, CommentCount, FavoriteCount,
  OwnerUserId, OwnerDisplayName, LastEditDate, LastActivityDate, ClosedDate, CommunityOwnedDate, ContentLicense
FROM Posts
WHERE PostTypeId = 1;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW Answers AS
SELECT
  a.Id, a.ParentId AS QuestionId, q.Title AS QuestionTitle, COALESCE(q.AcceptedAnswerId = a.Id, 0) AS IsAccepted,
  a.CreationDate, a.Score, a.Body, a.CommentCount,
  a.OwnerUserId, a.OwnerDisplayName, a.LastEditDate, a.LastActivityDate, a.CommunityOwnedDate, a.ContentLicense
FROM Posts a
LEFT JOIN Posts q ON q.Id = a.ParentId AND q.PostTypeId = 1
WHERE a.PostTypeId = 2;
