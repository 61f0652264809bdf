import Foundation
// block
