#pragma once

#include "messages/workflow_messages.hpp"
#include "persistence/store.hpp"

/// The public form of lists that are read from the database.
namespace holdfast::actors {

msg::workflow_page page_of(persistence::listed_workflows&& listed);
msg::test_question_page page_of(persistence::listed_questions&& listed);

} // namespace holdfast::actors
