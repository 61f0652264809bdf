import Foundation
import PingPush
// block
