// The ten thousand most frequent passwords of eight characters and more among those that became public in breaches: from zxcvbn's list
// (https://github.com/dropbox/zxcvbn, MIT licence, Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc.), which was made from the ten million
// passwords that Mark Burnett published.

#include "embedding.h"

EMBEDDED(common_passwords_txt)
#embed "../PasswordRules/common-passwords.txt"
END
